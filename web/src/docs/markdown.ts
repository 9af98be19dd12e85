import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import { type Column, cardTable } from "../card-table.ts";
import { codeBlock } from "./code-block.ts";
import type { Language } from "./highlight.ts";

/**
 * Returns Markdown, as the lexer of `marked` splits it, as HTML of our pages: code with a button that copies
 * it, tables that scroll. All texts are escaped. Throws on what these pages cannot show, such as raw HTML.
 */
export function renderMarkdown(tokens: Token[], document: MarkdownDocument): Html {
  let { section } = document;
  return each(tokens, (token) => {
    if (token.type === "heading") section = (token as Tokens.Heading).text;
    return render(blocks, token as MarkedToken, { ...document, section });
  });
}

type MarkdownDocument = {
  placeOf(href: string): Place;
  /** The last heading, so that tables with the same columns in two sections have different names. */
  section?: string | undefined;
  isCell?: boolean;
};

/** Target of a link: one of our pages, a file of the repository, or neither. */
export type Place = { address: string } | { file: string } | undefined;

/** The anchor that GitHub gives a heading, so that links of the document work in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

const blocks: Renderers = {
  heading,
  paragraph: ({ tokens }, document) => html`<p>!${inline(tokens, document)}</p>
`,
  list,
  table,
  blockquote: note,
  code: ({ text, lang = "" }) =>
    codeBlock({
      ...(codeLanguages[lang] ?? { caption: "Commands", language: "curl" }),
      label: `Code: ${text.split("\n")[0]}`,
      code: text,
    }),
  // The text of a list item, if the list has no empty lines.
  text: (token, document) => inline([token], document),
  space: () => nothing,
};

const codeLanguages: Record<string, { caption: string; language: Language }> = {
  json: { caption: "JSON", language: "json" },
  python: { caption: "Python", language: "python" },
  typescript: { caption: "TypeScript", language: "typescript" },
  go: { caption: "Go", language: "typescript" },
  java: { caption: "Java", language: "typescript" },
  sql: { caption: "SQL", language: "python" },
  yaml: { caption: "YAML", language: "python" },
};

function heading({ depth, text, tokens }: Tokens.Heading, document: MarkdownDocument): Html {
  const content = inline(tokens, document);
  const anchor = anchorOf(text);
  switch (depth) {
    case 1:
      return html`<h1>!${markup(content)}</h1>
`;
    case 2:
      return html`<h2 id="${anchor}">!${markup(content)}</h2>
`;
    default:
      return html`<h3 id="${anchor}">!${markup(content)}</h3>
`;
  }
}

function list({ ordered, items }: Tokens.List, document: MarkdownDocument): Html {
  const content = each(
    items,
    (item) => html`<li>!${renderMarkdown(item.tokens, document)}</li>
`,
  );
  return ordered
    ? html`<ol>!${markup(content)}</ol>
`
    : html`<ul>!${markup(content)}</ul>
`;
}

/** A quote is a note; GitHub calls one that begins with `[!WARNING]` an alert. */
function note({ text }: Tokens.Blockquote, document: MarkdownDocument): Html {
  const warning = "[!WARNING]\n";
  const isWarning = text.startsWith(warning);
  const content = lexer(isWarning ? text.slice(warning.length) : text);
  return html`<div class="${isWarning ? "note warn" : "note"}">!${renderMarkdown(content, document)}</div>
`;
}

function table({ header, rows }: Tokens.Table, document: MarkdownDocument): Html {
  const columns = header.map(({ text, align }, index): Column<Tokens.TableCell[]> => {
    const head = text.replaceAll("`", "");
    const content = (row: Tokens.TableCell[]) => inline(row[index]!.tokens, { ...document, isCell: true });
    if (index === 0) return { head, type: "name", content };
    return align === "right" ? { head, type: "number", content } : { head, content };
  });
  const label = `${document.section ?? "Table"}: ${header.map(({ text }) => text).join(", ")}`;
  return cardTable({ label, columns, rows });
}

function inline(tokens: Token[], document: MarkdownDocument): Html {
  return each(tokens, (token) => render(spans, token as MarkedToken, document));
}

const spans: Renderers = {
  text: ({ text, tokens }, document) => (tokens === undefined ? html`${text}` : inline(tokens, document)),
  escape: ({ text }) => html`${text}`,
  codespan: ({ text }, { isCell }) =>
    html`<code>!${each(isCell ? text.split(/(?<=_)/) : [text], namePart)}</code>`,
  strong: ({ tokens }, document) => html`<strong>!${inline(tokens, document)}</strong>`,
  em: ({ tokens }, document) => html`<em>!${inline(tokens, document)}</em>`,
  link,
};

/** A name without room in its column is broken behind an underscore, not in the middle of a word. */
const namePart = (part: string, index: number): Html => (index === 0 ? html`${part}` : html`<wbr>${part}`);

function link({ href, text, tokens }: Tokens.Link, document: MarkdownDocument): Html {
  const place = document.placeOf(href);
  const content = inline(tokens, document);
  if (place === undefined) return content;
  if ("address" in place) return html`<a href="${place.address}">!${markup(content)}</a>`;
  if (place.file.endsWith(text)) return html`<code>${place.file}</code>`;
  return html`!${markup(content)} (<code>${place.file}</code>)`;
}

function render(renderers: Renderers, token: MarkedToken, document: MarkdownDocument): Html {
  // The type of the token is that of the renderer's parameter: the table says so for each.
  const own = renderers[token.type] as Renderer<MarkedToken> | undefined;
  if (own === undefined) {
    throw new Error(`the pages cannot show Markdown of type ${token.type}: ${token.raw}`);
  }
  return own(token, document);
}

type Renderer<Shown> = (token: Shown, document: MarkdownDocument) => Html;
type Renderers = { [Type in MarkedToken["type"]]?: Renderer<Extract<MarkedToken, { type: Type }>> };
