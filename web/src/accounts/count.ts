import { formatCount } from "../format.ts";
import { type Html, html } from "@faceline/runtime/design/html";

/** Returns a number as `1,207`; ../browser/locale.ts rewrites it. */
export const count = (number: number): Html => html`<data value="${number}">${formatCount(number)}</data>`;

/** `0.345` → `34.5%`. A share above 0 never shows as 0. */
export const share = (part: number): Html =>
  part > 0 && part < 0.001
    ? html`${"< 0.1%"}`
    : html`<data class="share" value="${part}">${(100 * part).toFixed(1)}%</data>`;
