import { read } from "./source.ts";

/**
 * Returns the text of a file with `hidden` in place of what no reader sees as prose: code blocks, names in
 * backticks and targets of links in Markdown and configuration, all but the strings in TypeScript. Lines stay
 * where they are.
 */
export function proseOf(file: string): string {
  const text = read(file);
  return withoutNames(/\.(ts|mjs)$/.test(file) ? stringsOf(text) : text);
}

const hidden = "\u0001";
const hide = (text: string): string => text.replaceAll(/[^\n]/g, hidden);

/** Texts that a reader sees in a tag of HTML. */
const visibleAttributes = /\b(?:aria-label|title|placeholder|alt|content)="[^"]*"/;

const withoutNames = (text: string): string =>
  text
    .replaceAll(/^ *```.*?^ *```$/gms, hide)
    .replaceAll(/\\?`[^`\n]*(?:\n[^`\n]+)?`/g, hide)
    .replaceAll(/\]\([^)\s]*\)|https?:[^\s"]*/g, hide)
    .replaceAll(/<\/?[a-z][^<>]*>/g, (tag) => (visibleAttributes.test(tag) ? tag : hide(tag)));

/** Hides all but the strings that read as text: those with a space, or that begin with a capital. */
function stringsOf(code: string): string {
  let result = "";
  // Each `${` in a template is one level, which counts its open braces.
  const braces: number[] = [];
  let rest = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = rest;
    const [found] = pattern.exec(code) ?? [];
    if (found !== undefined) rest += found.length;
    return found;
  };
  const template = (): void => {
    const part = take(/(?:[^`\\$]|\\.|\$(?!\{))*/sy)!;
    result += looksLikeText(part) ? part.replaceAll("\\`", hidden + hidden) : hide(part);
    if (take(/\$\{/y) !== undefined) braces.push(0);
    else take(/`/y);
    result = result.padEnd(rest, hidden);
  };
  while (rest < code.length) {
    const skipped = take(
      /\/\/[^\n]*|\/\*.*?\*\/|(?<=[(,=:[!&|?;]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//sy,
    );
    const string = skipped === undefined ? take(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y) : undefined;
    if (skipped !== undefined) result += hide(skipped);
    else if (string !== undefined) result += looksLikeText(string.slice(1)) ? string : hide(string);
    else if (take(/`/y) !== undefined) {
      result += hidden;
      template();
    } else if (braces.length > 0 && code[rest] === "}" && braces.at(-1) === 0) {
      braces.pop();
      result += hidden;
      rest += 1;
      template();
    } else {
      if (code[rest] === "{" && braces.length > 0) braces[braces.length - 1]! += 1;
      if (code[rest] === "}" && braces.length > 0) braces[braces.length - 1]! -= 1;
      result += hide(code[rest]!);
      rest += 1;
    }
  }
  return result;
}

const looksLikeText = (string: string): boolean => /^[A-Z]|[a-z,.:;)] [a-zA-Z(]/.test(string);
