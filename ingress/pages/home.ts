import { formatCount } from "./format.ts";
import { type Html, html } from "./html.ts";
import { arrowIcon } from "./icons.ts";
import type { Page } from "./page.ts";

// Covered by ./pages.test.ts.

/** What this service is, and where to go on. */
export const home: Page = {
  path: "/",
  title: "Do two pictures show the same face?",
  description: "Faceline measures how far apart two faces are: a self-hosted HTTP API.",
  scripts: [],
  body: ({ limits, keysNeeded }): Html => html`<div class="prose intro">
<h1>Do two pictures show the same face?</h1>
<p class="lead">This service measures how far apart two faces are, and says whether that is closer than a
threshold. It is an HTTP API, run by whoever gave you this address.</p>
<p class="actions"><a class="button" href="/docs/quick-start">Quick start!${arrowIcon()}</a>
<a class="button quiet" href="/docs">Reference</a></p>
</div>
<div class="cards">
<section><h2><code>POST /verify</code></h2><p>Two pictures, or two stored vectors: their distance, the threshold, and whether the distance is within it.</p><p><a href="/docs#verify">Fields of /verify</a></p></section>
<section><h2><code>POST /represent</code></h2><p>Every face of a picture, with its position and its embedding, a vector to store and to compare later.</p><p><a href="/docs#represent">Fields of /represent</a></p></section>
<section><h2><code>POST /compare</code></h2><p>One face against up to ${formatCount(limits.candidate_vectors)} others, and which of them is nearest.</p><p><a href="/docs#compare">Fields of /compare</a></p></section>
</div>
<div class="prose">
<h2>Before you send a picture</h2>
<ul>
<li>Pictures and embeddings are in memory only while a call runs. They are written to no disk and no log:
<a href="/docs/privacy">what happens to a picture</a>.</li>
<li>A distance is not a probability, and no proof of who somebody is: <a href="/docs/thresholds">what a
threshold means</a>.</li>
<li>Send pictures only of people who agreed. In many places the law protects faces more than other data.</li>
<li>${keysNeeded ? "Calls need a key, which the operator of this service gives out" : "Calls to this service need no key"}:
<a href="/docs/keys">keys</a> and <a href="/docs/limits">limits</a>.</li>
</ul>
</div>`,
};
