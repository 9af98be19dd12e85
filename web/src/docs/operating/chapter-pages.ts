import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { lexer } from "marked";
import { html } from "@faceline/runtime/design/html";
import type { DocsPage } from "../docs-page.ts";
import { type Place, renderMarkdown } from "../markdown.ts";

// Covered by ../../render.test.ts.

const repository = join(import.meta.dirname, "..", "..", "..", "..");

/** The first page of the operators' guide: docs/operating/README.md, with the list of chapters. */
export const operatingGuide: DocsPage = fileAsPage("docs/operating/README.md", "Operating Faceline");

/** A page for each chapter, in the order of that list. */
export const chapterPages: DocsPage[] = Array.from(
  readFileSync(join(repository, "docs/operating/README.md"), "utf8").matchAll(/^- \[(.+)\]\((.+\.md)\)$/gm),
  ([, title, name]) => fileAsPage(`docs/operating/${name}`, title!),
);

/** Pages of files in the root of the repository. */
export const rootPages: DocsPage[] = [
  fileAsPage("SECURITY.md", "Security"),
  fileAsPage("NOTICE", "Licences"),
  fileAsPage("CHANGELOG.md", "Changelog"),
];

/** Returns a page of a file, which is Markdown whatever its name is. `file`: its path in the repository. */
function fileAsPage(file: string, title: string): DocsPage {
  const tokens = lexer(readFileSync(join(repository, file), "utf8"));
  return {
    path: addressOf(file)!,
    title,
    description: file.startsWith("docs/") ? `The operators' guide: ${title}.` : `${title} of Faceline.`,
    body: () => html`<div class="prose">
!${renderMarkdown(tokens, { placeOf: (href) => placeOf(href, file) })}
</div>`,
  };
}

/** Returns the target of a link in the document `from`. Links to other sites become text. */
export function placeOf(href: string, from: string): Place {
  if (/^[a-z]+:/.test(href)) return undefined;
  const [target = "", anchor] = href.split("#");
  const file = target === "" ? from : normalize(join(from, "..", target));
  const address = addressOf(file);
  if (address === undefined) return { file };
  return { address: anchor === undefined ? address : `${address}#${anchor}` };
}

/** The address of the page of a file; undefined if it has none. */
function addressOf(file: string): string | undefined {
  const [, folder, name] = /^docs\/(using|operating)\/([\w-]+)\.md$/.exec(file) ?? [];
  if (name !== undefined) {
    const start = folder === "using" ? "/docs" : "/docs/operating";
    return name === "README" ? start : `${start}/${name}`;
  }
  return /^(?:CHANGELOG\.md|SECURITY\.md|NOTICE)$/.test(file)
    ? `/docs/${file.replace(".md", "").toLowerCase()}`
    : undefined;
}
