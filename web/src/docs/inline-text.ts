import { each, type Html, html } from "@faceline/runtime/design/html";

/** Returns a text of the API's document as HTML: code in back-ticks, and links to the calls that it names. */
export function inlineText(text: string): Html {
  return each(text.split(/(`[^`]+`)/), (part) =>
    part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : withLinks(part),
  );
}

/** The same with a paragraph for each block of lines. */
export function paragraphs(text: string): Html {
  return each(text.split("\n\n"), (block) => html`<p>!${inlineText(block)}</p>`);
}

function withLinks(text: string): Html {
  return each(text.split(linkedPaths), (part) =>
    part.startsWith("/") ? html`<a href="/docs/reference${part}">${part}</a>` : html`${part}`,
  );
}

/** Paths of the API whose section in the reference is named like them. */
const linkedPaths = /(\/(?:verify|represent|compare|capabilities|health)\b)/;
