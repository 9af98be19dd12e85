import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { type Html, html } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";
import { type Chapter, chaptersOf } from "./chapters.ts";
import { type Place, renderMarkdown } from "./markdown.ts";

const folder = "deploy";
const repository = join(import.meta.dirname, "..", "..", "..", "..");

/** The documents for operators. Each heading of `level` begins a page. */
const documents = [
  { name: "OPERATING.md", level: 2 },
  { name: "DATA-PROTECTION.md", level: 1 },
].map(({ name, level }) => {
  const text = readFileSync(join(repository, folder, name), "utf8");
  return { name, level, chapters: chaptersOf(text, level) };
});

const pathOf = ({ slug }: Chapter): string => `/docs/operating/${slug}`;

/** Pages of the operators' guide, in the order of their document. */
export const chapterPages: DocsPage[] = documents.flatMap(({ name, level, chapters }) =>
  chapters.map((chapter) => ({
    path: pathOf(chapter),
    title: chapter.title,
    description: `The operators' guide: ${chapter.title}.`,
    body: (): Html => html`<div class="prose">
!${renderMarkdown(chapter.tokens, { levelShift: 1 - level, placeOf: (href) => placeOf(href, name) })}
</div>`,
  })),
);

/** Where a link in the document `from` leads. Other sites, as addresses of the reader's machine, are text. */
function placeOf(href: string, from: string): Place {
  if (/^[a-z]+:/.test(href)) return undefined;
  const [target, anchor] = href.split("#") as [string, string?];
  const file = normalize(join(folder, target || from));
  const document = documents.find(({ name }) => file === join(folder, name));
  if (document === undefined) return { file };
  const chapter = document.chapters.find(({ anchors }) => anchors.includes(anchor ?? anchors[0]!));
  if (chapter === undefined) return { file };
  const isWhole = anchor === undefined || anchor === chapter.anchors[0];
  return { address: isWhole ? pathOf(chapter) : `${pathOf(chapter)}#${anchor}` };
}
