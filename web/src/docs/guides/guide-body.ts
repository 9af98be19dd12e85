import { errorTable } from "@faceline/contracts/http/errors";
import { lexer } from "marked";
import { type Facts, offersWaitlist } from "../../facts.ts";
import { each, type Html, html } from "@faceline/runtime/design/html";
import { placeOf as chapterPlaceOf } from "../operating/chapter-pages.ts";
import { type Place, renderMarkdown } from "../markdown.ts";
import { fragments } from "./fragments.ts";
import { factTexts } from "./fact-texts.ts";

/**
 * Returns a guide of docs/using as a page of a service with these facts. Besides Markdown it may hold:
 *
 *     {{limits.body_bytes}}           a fact; alone in its line, a table or an example
 *     <!-- if accounts -->            up to <!-- end -->: for services with accounts
 *     <!-- if no accounts             up to -->: the same; GitHub does not show it
 *     <!-- page: {{errors.4xx}} -->   up to <!-- end -->: what GitHub shows in place of the table
 *
 * Throws on a name that is not known.
 */
export function renderGuide(markdown: string, facts: Facts): Html {
  const parts = visibleLines(markdown, facts).split(/^\{\{(.+)\}\}$/m);
  const render = (part: string, i: number): Html =>
    i % 2 === 0 ? renderText(part, facts) : lookUp(fragments, part)(facts);
  return html`<div class="prose guide">
!${each(parts, render)}</div>`;
}

function renderText(markdown: string, facts: Facts): Html {
  const texts = factTexts(facts);
  const text = markdown.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) => lookUp(texts, name));
  return renderMarkdown(lexer(linked(text, facts)), { placeOf });
}

function visibleLines(markdown: string, facts: Facts): string {
  const shown: boolean[] = [];
  const lines = markdown.split("\n").flatMap((line) => {
    const [, condition, fragment] = /^<!-- (?:if (.+?)|page: (\{\{.+\}\}))(?: -->)?$/.exec(line) ?? [];
    const isShown = shown.every(Boolean);
    if (condition !== undefined) shown.push(holds(condition, facts));
    else if (fragment !== undefined) shown.push(false);
    else if (/^(?:<!-- end )?-->$/.test(line)) shown.pop();
    else return isShown ? line : [];
    return isShown && fragment !== undefined ? fragment : [];
  });
  return lines.join("\n");
}

function holds(condition: string, facts: Facts): boolean {
  const { keysNeeded: keys, accounts, publicUrl, tester } = facts;
  const waitlist = offersWaitlist(facts);
  const conditions = { keys, accounts, waitlist, local: publicUrl === "", tester: tester.on };
  const name = condition.replace(/^no /, "");
  return lookUp(conditions, name) === (name === condition);
}

/** Links error codes in back-ticks, and paths of calls and of account pages, to where they are described. */
function linked(markdown: string, { accounts }: Facts): string {
  // Every second part is a heading, code or a link.
  const parts = markdown.split(/(^#.*$|^```[^]*?^```|`[^`]*`|\[[^\]]*\]\([^)]*\))/m);
  const link = (part: string, i: number): string => {
    if (i % 2 === 0) return part.replaceAll(callPaths, "$1[/$2](/docs/reference/$2)");
    const code = part.slice(1, -1);
    if (Object.hasOwn(errorTable, code)) return `[${part}](/docs/errors#${code})`;
    return accounts && accountPaths.includes(code) ? `[${part}](${code})` : part;
  };
  return parts.map(link).join("");
}

const callPaths = /(^|[\s(])\/(verify|represent|compare|capabilities|health|livez|readyz)\b/gm;
const accountPaths = ["/waitlist", "/dashboard"];

/** Returns the target of a link of a guide. */
function placeOf(href: string): Place {
  if (/^[/#]/.test(href)) return { address: href };
  if (href === "../../contracts/openapi.json") return { address: "/docs/reference" };
  return chapterPlaceOf(href, "docs/using/README.md");
}

function lookUp<Value>(table: Record<string, Value>, name: string): Value {
  if (!Object.hasOwn(table, name)) throw new Error(`a guide names ${name}, which is not known`);
  return table[name]!;
}
