import { each, type Html, html } from "@faceline/runtime/design/html";

/** Returns a text of a catalogue as HTML: `[a link](/path)`, and code in back-ticks. */
export function linkedText(text: string): Html {
  return each(text.split(/(\[[^\]]+\]\(\/[^)\s]*\)|`[^`]+`)/), (part) => {
    const [, words, path] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    if (path !== undefined) return html`<a href="${path}">${words}</a>`;
    return part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : html`${part}`;
  });
}
