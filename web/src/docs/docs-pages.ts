import type { Facts } from "../facts.ts";
import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { type DocsPage, docsPage } from "./docs-page.ts";
import { guideGroups } from "./guides/guides.ts";
import { originOf } from "./highlight.ts";
import { chapterPages, operatingGuide, rootPages } from "./operating/chapter-pages.ts";
import { overview } from "./overview.ts";
import { withEnumsInPlace } from "./reference/document.ts";
import { listOperations } from "./reference/example-call.ts";
import { operationPage } from "./reference/operation.ts";
import { reference } from "./reference/reference.ts";
import type { SearchIndex } from "./search/find-sections.ts";
import { searchIndex } from "./search/search-index.ts";

const document = withEnumsInPlace(apiDocument);

const referencePages: DocsPage[] = [
  {
    path: "/docs/reference",
    title: "Reference",
    description: "Every endpoint, header and type of the API.",
    body: () => reference(document),
  },
  ...listOperations(document).map((listed) => ({
    path: `/docs/reference/${listed.operation.operationId}`,
    title: `${listed.method.toUpperCase()} ${listed.path}`,
    description: listed.operation.summary,
    body: (facts: Facts) =>
      operationPage(listed, { document, origin: originOf(facts), keysNeeded: facts.keysNeeded }),
  })),
];

const texts = [...guideGroups.flatMap(({ guides }) => guides), operatingGuide, ...chapterPages];
const pages = [overview, ...texts, ...referencePages, ...rootPages];

export const docsPages: Page[] = pages.map((page) =>
  docsPage(page, {
    guideGroups,
    operatingGuide,
    chapters: chapterPages,
    rootPages,
    hasOutline: texts.includes(page),
  }),
);

/** Returns the search index of all documents but the list of licences and the changelog. */
export const docsIndex = (facts: Facts): SearchIndex => searchIndex(pages.slice(0, -2), facts);
