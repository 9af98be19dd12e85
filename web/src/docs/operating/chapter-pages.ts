import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { lexer, type Token, type Tokens } from "marked";
import { type Html, html } from "@faceline/runtime/design/html";
import type { DocsPage } from "../docs-page.ts";
import { anchorOf, type Place, renderMarkdown } from "../markdown.ts";

// Covered by ../../render.test.ts.

const folder = "docs/operating";
const repository = join(import.meta.dirname, "..", "..", "..", "..");

const contents = readChapter(join(folder, "README.md"));
/** The chapters, in the order of the list in README.md. */
const chapters = contents.chapters.map(readChapter);

/** The first page of the operators' guide: docs/operating/README.md, with the list of chapters. */
export const operatingGuide: DocsPage = pageOf(contents);

/** A page for each chapter. */
export const chapterPages: DocsPage[] = chapters.map(pageOf);

/** Reads a document. `file`: its path in the repository. */
function readChapter(file: string): Chapter {
  const text = readFileSync(join(repository, file), "utf8");
  const tokens = lexer(text);
  const headings = tokens.flatMap((token) => (isHeading(token) ? [token.text] : []));
  const [title = file] = headings;
  const name = file.slice(file.lastIndexOf("/") + 1, -".md".length).toLowerCase();
  const [, list = ""] = text.split("\n## Chapters\n");
  return {
    file,
    path: name === "readme" ? "/docs/operating" : `/docs/operating/${name}`,
    title,
    anchors: headings.map(anchorOf),
    tokens,
    chapters: [...list.matchAll(/^- \[.+\]\((.+)\)$/gm)].map(([, href = ""]) => join(folder, href)),
  };
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

function pageOf({ file, path, title, tokens }: Chapter): DocsPage {
  return {
    path,
    title,
    description: `The operators' guide: ${title}.`,
    body: (): Html => html`<div class="prose">
!${renderMarkdown(tokens, { placeOf: (href) => placeOf(href, file) })}
</div>`,
  };
}

/** Files in the root of the repository that ../repository-pages.ts shows. */
const rootFiles: Record<string, string> = {
  "CHANGELOG.md": "/docs/changelog",
  "SECURITY.md": "/docs/security",
  NOTICE: "/docs/notice",
};

/** Returns the target of a link in the document `from`. Links to other sites become text. */
export function placeOf(href: string, from: string): Place {
  if (/^[a-z]+:/.test(href)) return undefined;
  const [target = "", anchor] = href.split("#");
  const file = target === "" ? from : normalize(join(from, "..", target));
  const [, guide] = /^docs\/using\/([\w-]+)\.md$/.exec(file) ?? [];
  if (guide !== undefined) {
    return {
      address: guide === "README" ? "/docs" : `/docs/${guide}${anchor === undefined ? "" : `#${anchor}`}`,
    };
  }
  const root = rootFiles[file];
  if (root !== undefined) return { address: root + (anchor === undefined ? "" : `#${anchor}`) };
  const chapter = [contents, ...chapters].find((each) => each.file === file);
  if (chapter === undefined) return { file };
  if (anchor === undefined || anchor === chapter.anchors[0]) return { address: chapter.path };
  return chapter.anchors.includes(anchor) ? { address: `${chapter.path}#${anchor}` } : { file };
}

type Chapter = {
  /** Path in the repository. */
  file: string;
  /** Address of its page. */
  path: string;
  title: string;
  /** Anchors of all its headings; the first is that of the title. */
  anchors: string[];
  tokens: Token[];
  /** Files of the chapters that it lists. */
  chapters: string[];
};
