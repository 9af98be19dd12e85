import type { Page } from "../page.ts";
import { docsPage } from "./docs-page.ts";
import { guides } from "./guides/guides.ts";
import { chapterPages } from "./operating/chapter-pages.ts";
import { referencePage } from "./reference/page.ts";

export const docsPages: Page[] = [referencePage, ...guides, ...chapterPages].map((page) =>
  docsPage(page, { guides, chapters: chapterPages }),
);
