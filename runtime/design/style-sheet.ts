import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/**
 * Returns the sheet that every page begins with, as CSS: the tokens, and the typeface Geist if `typeface` has
 * the address of its file.
 */
export async function tokensSheet(typeface: string | undefined): Promise<string> {
  const tokens = await readFile(new URL("tokens.css", import.meta.url), "utf8");
  if (typeface === undefined) return tokens;
  return `@font-face {
  font-family: "Geist";
  src: url("${typeface}") format("woff2");
  font-weight: 100 900;
  font-display: swap;
}

${tokens}`;
}

/**
 * Returns the file of the typeface. Undefined if it is not installed, as in the images of services without
 * pages for visitors: a system typeface with the same metrics takes its place.
 */
export async function readTypeface(): Promise<Buffer | undefined> {
  try {
    return await readFile(createRequire(import.meta.url).resolve(typefaceFile));
  } catch {
    return undefined;
  }
}

export const typefaceFile = "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2";
