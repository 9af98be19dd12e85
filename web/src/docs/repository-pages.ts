import { readFileSync } from "node:fs";
import { lexer } from "marked";
import { html } from "@faceline/runtime/design/html";
import type { DocsPage } from "./docs-page.ts";
import { renderMarkdown } from "./markdown.ts";
import { placeOf } from "./operating/chapter-pages.ts";

const changelog = fileAsPage("CHANGELOG.md", {
  path: "/docs/changelog",
  title: "Changelog",
  description: "What users and operators notice in each release.",
});

const security = fileAsPage("SECURITY.md", {
  path: "/docs/security",
  title: "Security",
  description: "How to report a vulnerability, and what the service promises and does not promise.",
});

const notice = fileAsPage("NOTICE", {
  path: "/docs/notice",
  title: "Licences",
  description: "The licences of the code, the models, the sample images and the packages.",
});

/** Pages of files in the root of the repository. */
export const repositoryPages: DocsPage[] = [security, notice, changelog];

/** A page of a file, which is Markdown whatever its name is. */
function fileAsPage(file: string, page: Omit<DocsPage, "body">): DocsPage {
  const tokens = lexer(readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8"));
  return {
    ...page,
    body: () => html`<div class="prose">
!${renderMarkdown(tokens, { placeOf: (href) => placeOf(href, file) })}
</div>`,
  };
}
