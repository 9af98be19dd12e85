import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";

/** Page for browsers at an address without one. */
export const missingPage: Page = {
  path: "",
  title: "Page not found",
  description: "There is no page at this address.",
  scripts: [],
  body: (): Html => html`<div class="prose">
<h1>There is no page at this address</h1>
<p>It may have moved, or the address was mistyped.</p>
<ul>
<li><a href="/">The tester</a> compares two pictures.</li>
<li><a href="/docs">The reference</a> has every call, field and error.</li>
<li><a href="/docs/quick-start">The quick start</a> leads to a first call.</li>
</ul>
</div>`,
};
