import { lexer, type Token, type Tokens } from "marked";
import { anchorOf } from "./markdown.ts";

/**
 * Splits a document into chapters, one for each heading of `level`, and says where each anchor is. What
 * stands before the first chapter is left out.
 */
export function chaptersOf(markdown: string, level: number): Chapter[] {
  const chapters: Chapter[] = [];
  for (const token of lexer(markdown)) {
    if (isHeading(token) && token.depth === level) {
      chapters.push({ slug: anchorOf(token.text), title: token.text, anchors: [], tokens: [] });
    }
    const chapter = chapters.at(-1);
    if (chapter === undefined) continue;
    if (isHeading(token)) chapter.anchors.push(anchorOf(token.text));
    chapter.tokens.push(token);
  }
  return chapters;
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";

/** `slug`: its part of the address. `anchors`: of all its headings, the first is its own. */
export type Chapter = { slug: string; title: string; anchors: string[]; tokens: Token[] };
