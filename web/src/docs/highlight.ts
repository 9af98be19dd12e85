import { each, type Html, html } from "@faceline/runtime/design/html";

export type Language = "json" | "curl" | "python" | "typescript";

/**
 * Returns code with classes for strings, numbers, keywords, names and comments. A few patterns, because our
 * examples are short, and a highlighter with grammars takes as long to load as all pages to render.
 */
export function highlight(code: string, language: Language): Html {
  return each(tokensOf(code, patterns[language]), ({ kind, text }) =>
    kind === undefined ? plain(text) : html`<span class="t-${kind}">!${plain(text)}</span>`,
  );
}

/** A script of the page puts the origin of the page in the place of the example's. */
function plain(text: string): Html {
  return each(text.split(exampleOrigin), (part, i) =>
    i === 0 ? html`${part}` : html`<span data-origin="">${exampleOrigin}</span>${part}`,
  );
}

/** Returns the origin of examples. A script replaces it until the operator has set PUBLIC_URL. */
export const originOf = ({ publicUrl }: { publicUrl: string }): string => publicUrl || exampleOrigin;

const exampleOrigin = "http://127.0.0.1:8080";

/** Their texts, one after the other, are the code. */
function tokensOf(code: string, pattern: RegExp): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > end) tokens.push({ text: code.slice(end, match.index) });
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  return [...tokens, { text: code.slice(end) }];
}

const string = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"})`;
const number = String.raw`(?<number>(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b)`;
const words = (list: string) => String.raw`(?<keyword>\b(?:${list.replaceAll(" ", "|")})\b)`;
const anyOf = (...alternatives: string[]) => new RegExp(alternatives.join("|"), "g");

const patterns: Record<Language, RegExp> = {
  json: anyOf(String.raw`(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))`, string, number, words("true false null")),
  curl: anyOf(
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    string,
    String.raw`(?<name>(?<=\s)--?[\w-]+|\$\w+)`,
    words("curl export npm printf"),
  ),
  python: anyOf(
    "(?<comment>#.*)",
    string,
    number,
    words("import from with as open for in if else def return print raise try except None True False"),
  ),
  typescript: anyOf(
    String.raw`(?<comment>\/\/.*)`,
    string,
    number,
    words("import from const let await new for of if else return throw try catch instanceof true false"),
  ),
};

type Token = { kind?: string; text: string };
