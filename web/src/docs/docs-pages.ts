import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { type DocsPage, docsPage } from "./docs-page.ts";
import { guides as guidesOfUsers } from "./guides/guides.ts";
import { originOf } from "./highlight.ts";
import { chapterPages, operatingGuide } from "./operating/chapter-pages.ts";
import { reference } from "./reference/reference.ts";

const referencePage: DocsPage = {
  path: "/docs",
  title: "Reference",
  description: "Every call of the API, with its fields, limits, failures and examples.",
  body: (facts) =>
    reference({ document: apiDocument, origin: originOf(facts), keysNeeded: facts.keysNeeded }),
};

const guides = [...guidesOfUsers, operatingGuide];

export const docsPages: Page[] = [referencePage, ...guides, ...chapterPages].map((page) =>
  docsPage(page, { guides, chapters: chapterPages }),
);
