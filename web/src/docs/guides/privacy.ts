import type { TesterFacts } from "../../facts.ts";
import { formatDuration } from "../../format.ts";
import { type Html, html, markup, nothing } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";

export const privacyGuide: DocsPage = {
  path: "/docs/privacy",
  title: "Privacy",
  description: "What happens to an image, what stays of it, and what you are responsible for.",
  body: ({ idempotencyKeptMs, tester, accounts }): Html => html`<div class="prose">
<h1>Privacy</h1>
<p class="lead">Images and embeddings are in memory only while a call runs, and nowhere else, with one
exception.</p>
<h2>What happens to an image</h2>
<ol>
<li>The service receives it, and keeps it in memory.</li>
<li>It waits in the memory of a Redis server. The service refuses to use one that saves to a disk or
replicates to another server. It is deleted when the call ends; if that fails, it expires 2 s after the call's
deadline.</li>
<li>A worker decodes it, finds faces and computes their embeddings. When the batch has run, the worker
overwrites the memory that held them with zeros.</li>
<li>The answer goes to you. The service keeps nothing of it.</li>
</ol>
<p>No image, embedding or key is written to a disk, a log, a message of Kafka, a trace or an error. Tests
search the disk and a worker's memory for them. The service sends nothing to third parties, nor do these
pages.</p>
<h2>The one exception</h2>
<p>If you send an <code>Idempotency-Key</code>, the answer, embeddings included, stays in the memory of Redis
for ${formatDuration(idempotencyKeptMs)}. The image does not.</p>
<h2>What logs and traces hold</h2>
<p>The id of the call, its path, times, sizes and error code; and ids of the processes that worked on it.
Metrics name no team.</p>
<h2>What is counted</h2>
<p>Where calls need a key, the service counts them: how many a team made on a day, by path and by how they
ended. These numbers stay for 400 days. Of the last 20 failed calls of each error code it keeps the path, the
time and the id, for 30 days. Who holds a key of the team can send ids of their own: put nothing in them that
should not be kept.</p>
!${visitorSection(tester)}<h2>What is not promised</h2>
<ul>
<li>Memory that libraries have freed, and the memory of the process that receives calls, is not overwritten at
once. It is used again soon.</li>
<li>Somebody who can read the memory of a process, its swap or its core dumps can see images.</li>
<li>The service serves plain HTTP. Its operator puts a proxy with TLS in front of it, unless the network is
trusted.</li>
</ul>
<p>Whoever runs this service could change it. These pages describe the software, not the conduct of its
operator: ask them.</p>
<h2>What you are responsible for</h2>
<ul>
<li><strong>Consent.</strong> Send images only of people who agreed to it, for this purpose. Faces are
personal data, and in many places the law protects them, and what is computed from them, more than other
data.</li>
<li><strong>Embeddings are personal data too.</strong> They identify a person, like a fingerprint. Store them
as you would store passwords: as few as possible, encrypted, and only as long as you need them.</li>
<li><strong>Deciding.</strong> A distance proves nobody's identity. Give people a way to object and a person
to talk to. <a href="/docs/thresholds">What a threshold means</a>.</li>
</ul>
<h2>These pages</h2>
<p>They do not track visitors, and load nothing from other servers. Your browser remembers two choices by itself:
the theme, and the language of examples. !${markup(accounts ? cookieOfPeople() : noCookies())}</p>
!${markup(accounts ? aboutPeople() : nothing)}
</div>`,
};

const noCookies = (): Html => html`They set no cookies.`;

const cookieOfPeople = (): Html =>
  html`Signing in sets one cookie, which holds a random number and ends with the session. Nothing else sets one.`;

const aboutPeople = (): Html => html`<h2>What is stored about people with an account</h2>
<p>Their email and team, what they wrote on the waitlist until it was decided, when they signed in and were last
seen, and what they changed. Of somebody who was declined, the email and the time. Sign-in addresses and sessions are stored as SHA-256. The operator can remove all of it:
ask them.</p>`;

/** The state of a rate limit expires once its address may send all calls of a burst again. */
function visitorSection({ on, requestsBurst, requestsPerMinute }: TesterFacts): Html {
  if (!on) return nothing;
  const keptMs = Math.ceil((60 * requestsBurst) / requestsPerMinute) * 1_000;
  return html`<h2>What the tester holds of a visitor</h2>
<p>To limit calls without a key, the service keeps the address that they come from, or the first half of an
IPv6 address, in memory: for at most ${formatDuration(keptMs)} after the last call. It is in no log, trace or
metric.</p>
`;
}
