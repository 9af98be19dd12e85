import { type Html, html, markup } from "./html.ts";

/** Icons are drawn in the colour of the text around them. They decorate: a text says what they mean. */
const icon = (shapes: Html): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">!${markup(shapes)}</svg>`;

/** The mark of Faceline: two points, and the line on which their distance is measured. */
export const mark = (): Html =>
  html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect class="mark-ground" width="32" height="32" rx="8"/><path d="M10 16h12"/><circle cx="10" cy="16" r="3"/><circle class="mark-hole" cx="22" cy="16" r="3"/></svg>`;

export const contrastIcon = (): Html =>
  icon(html`<circle cx="12" cy="12" r="8"/><path class="filled" d="M12 4a8 8 0 0 1 0 16z"/>`);
