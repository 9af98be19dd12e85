import type { Facts } from "../../facts.ts";
import { type Html, html, markup } from "../../html.ts";
import { apiDocument } from "../api-document.ts";
import { codeBlock, codeChoice } from "../code-block.ts";
import type { DocsPage } from "../docs-page.ts";
import { originOf } from "../highlight.ts";
import { exampleText, replyExamples } from "../reference/examples.ts";
import { callSnippets, type ExampleCall } from "../reference/snippets.ts";

export const quickStart: DocsPage = {
  path: "/docs/quick-start",
  title: "Quick start",
  description: "From a key and two images to a first answer.",
  body: (facts): Html => html`<div class="prose">
<h1>Quick start</h1>
<p class="lead">Two images, one call, and what its answer says.</p>
!${keyStep(facts)}
<h2>2. Take two images</h2>
<p>Call them <code>first.jpg</code> and <code>second.jpg</code>. JPEG, PNG, WebP and AVIF are accepted, whatever the
file extension. Send images only of people who agreed. The repository of the service has drawn people to begin
with: <code>npm start</code> puts them into <code>.faceline/samples</code>.</p>
<h2>3. Call /verify</h2>
!${codeChoice({ id: "verify", caption: "Call /verify", snippets: callSnippets(verifyCall(facts)) })}
<p>The Python example needs <code>requests</code>. The TypeScript example runs in Node 24, Deno
and Bun.</p>
<h2>4. Read the answer</h2>
!${codeBlock({ caption: "Answer", code: exampleText(verifyExample?.value), language: "json" })}
<ul>
<li><code>distance</code> says how far apart the two faces are: two copies of one image have 0. It is not a
probability.</li>
<li><code>verified</code> is true if the distance is not above the <code>threshold</code>, which is the
model's own unless you send another one. <a href="/docs/thresholds">What a threshold means</a>.</li>
<li><code>facial_areas</code> says where the two faces are, in pixels of the upright image. Look at it first
when an answer surprises you: it may be about another face.</li>
<li><code>request_id</code> identifies this call in the logs of the service. Give it when you report a
problem.</li>
</ul>
<h2>Where to go on</h2>
<ul>
<li>No face was found, or the wrong one was used: <a href="/docs/images">images</a>.</li>
<li>The call failed: <a href="/docs/errors">errors</a>, and <a href="/docs/limits">limits and
retrying</a>.</li>
<li>One face against many: store the embeddings of <a href="/docs#represent">/represent</a>, and compare them
with <a href="/docs#compare">/compare</a>.</li>
<li>Every field of every call: the <a href="/docs">reference</a>.</li>
</ul>
</div>`,
};

function keyStep({ keysNeeded, accounts }: Facts): Html {
  if (!keysNeeded) {
    return html`<h2>1. No key is needed</h2>
<p>The operator of this service lets everybody call who can reach it.</p>`;
  }
  return html`<h2>1. Get a key</h2>
<p>!${markup(accounts ? waitlistWay() : operatorWay())} If you run it yourself with <code>npm start</code>, its last
lines show a key for development, which is also in <code>.faceline/dev-key</code>. The examples read it from
the environment:</p>
!${codeBlock({ caption: "In a shell", code: "export FACELINE_KEY=fl_…", language: "curl" })}`;
}

const waitlistWay =
  (): Html => html`Join the <a href="/waitlist">waitlist</a>. Once you are approved, make a key on
your <a href="/dashboard">dashboard</a>.`;

const operatorWay = (): Html => html`The operator of this service gives you one.`;

const verifyCall = (facts: Facts): ExampleCall => ({
  origin: originOf(facts),
  method: "POST",
  path: "/verify",
  keyNeeded: facts.keysNeeded,
  fields: [
    { name: "img1", value: { file: "first.jpg" } },
    { name: "img2", value: { file: "second.jpg" } },
  ],
});

const [verifyExample] = replyExamples(apiDocument, "/verify");
