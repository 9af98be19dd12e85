import type { Facts } from "../facts.ts";
import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { type DocsPage, docsPage } from "./docs-page.ts";
import { guideGroups } from "./guides/guides.ts";
import { originOf } from "./highlight.ts";
import { chapterPages, operatingGuide } from "./operating/chapter-pages.ts";
import { overview } from "./overview.ts";
import { reference } from "./reference/reference.ts";
import { repositoryPages } from "./repository-pages.ts";
import type { SearchIndex } from "./search/find-sections.ts";
import { searchIndex } from "./search/search-index.ts";

const referencePage: DocsPage = {
  path: "/docs/reference",
  title: "Reference",
  description: "Every endpoint of the API, with its fields, limits, errors and examples.",
  body: (facts) =>
    reference({ document: apiDocument, origin: originOf(facts), keysNeeded: facts.keysNeeded }),
};

const texts = [...guideGroups.flatMap(({ guides }) => guides), operatingGuide, ...chapterPages];
const pages = [overview, ...texts, referencePage, ...repositoryPages];

export const docsPages: Page[] = pages.map((page) =>
  docsPage(page, {
    guideGroups,
    operatingGuide,
    chapters: chapterPages,
    rootPages: repositoryPages,
    hasOutline: texts.includes(page),
  }),
);

/** Returns the search index of all documents but the changelog, whose words are those of the past. */
export const docsIndex = (facts: Facts): SearchIndex => searchIndex(pages.slice(0, -1), facts);
