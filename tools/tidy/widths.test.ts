// Covers the comments of sources and configuration, and the prose of all documents. Biome wraps code alone.
import test from "node:test";
import { assertNone, type Offenders } from "./offenders.ts";
import { findFiles, read, sourceFiles } from "./source.ts";

const columnsMax = 110;

test("no comment is wider than 110 columns", () => {
  const configuration = findFiles("**/tsconfig*.json", "**/*.{py,yml}", "**/requirements.txt");
  assertNone("wide-comments", wideLines([...sourceFiles(), ...configuration], commentLines));
});

test("no line of prose is wider than 110 columns; tables, code and the targets of links do not count", () => {
  assertNone("wide-prose", wideLines(findFiles("**/*.md"), proseLines));
});

function wideLines(files: string[], linesOf: (text: string) => Line[]): Offenders {
  const wide: Offenders = new Map();
  for (const file of files) {
    const lines = linesOf(read(file)).filter(({ text }) => text.length > columnsMax);
    if (lines.length > 0)
      wide.set(
        file,
        lines.map(({ number, text }) => `${file}:${number}: ${text.trim().slice(0, 60)}…`),
      );
  }
  return wide;
}

const commentLines = (text: string): Line[] =>
  numbered(text).filter((line) => /^\s*(\/\/|\/\*|\*|#)/.test(line.text));

function proseLines(text: string): Line[] {
  let inCode = false;
  return numbered(text)
    .filter((line) => {
      const isFence = /^\s*```/.test(line.text);
      if (isFence) inCode = !inCode;
      return !isFence && !inCode && !line.text.startsWith("|");
    })
    .map(({ number, text }) => ({
      number,
      text: text.replaceAll(/\]\([^)]*\)/g, "]").replaceAll(/https?:\S+/g, ""),
    }));
}

const numbered = (text: string): Line[] => text.split("\n").map((line, i) => ({ number: i + 1, text: line }));

type Line = { number: number; text: string };
