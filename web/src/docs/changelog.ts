import { readFileSync } from "node:fs";
import { lexer } from "marked";
import { html } from "@faceline/runtime/design/html";
import type { DocsPage } from "./docs-page.ts";
import { renderMarkdown } from "./markdown.ts";
import { placeOf } from "./operating/chapter-pages.ts";

const file = "CHANGELOG.md";
const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");

/** CHANGELOG.md as a page. */
export const changelogPage: DocsPage = {
  path: "/docs/changelog",
  title: "Changelog",
  description: "What users and operators notice in each release.",
  body: () => html`<div class="prose">
!${renderMarkdown(lexer(text), { placeOf: (href) => placeOf(href, file) })}
</div>`,
};
