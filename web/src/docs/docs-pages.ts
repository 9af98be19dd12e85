import type { Page } from "../page.ts";
import { docsPage } from "./docs-page.ts";
import { guides as guidesOfUsers } from "./guides/guides.ts";
import { chapterPages, operatingGuide } from "./operating/chapter-pages.ts";
import { referencePage } from "./reference/page.ts";

const guides = [...guidesOfUsers, operatingGuide];

export const docsPages: Page[] = [referencePage, ...guides, ...chapterPages].map((page) =>
  docsPage(page, { guides, chapters: chapterPages }),
);
