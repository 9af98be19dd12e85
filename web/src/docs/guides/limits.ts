import type { Facts } from "../../facts.ts";
import { formatBytes, formatCount, formatDuration, formatMillions } from "../../format.ts";
import { each, type Html, html, nothing } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";

export const limitsGuide: DocsPage = {
  path: "/docs/limits",
  title: "Limits and retrying",
  description: "The limits of calls and teams, and when to try again.",
  body: (facts): Html => html`<div class="prose">
<h1>Limits and retrying</h1>
<p class="lead">Limits are known in advance, and a temporary refusal says when to try again.</p>
<h2>Limits of a team</h2>
<div class="wide" tabindex="0" role="region" aria-label="Limits of a team"><table>
<tbody>!${each(teamLimits(facts), limitRow)}</tbody>
</table></div>
<p>These are the defaults of this service; your team may have others. They hold for all keys of the team on
all ingresses (the processes that receive calls) together, except the bytes of bodies, which each ingress
limits by itself. GET requests are not counted.</p>
<p>Where calls per second are limited, every reply to a call has three headers:</p>
<ul>
<li><code>RateLimit-Limit</code>: calls at once after a pause.</li>
<li><code>RateLimit-Remaining</code>: calls that may be sent at once now.</li>
<li><code>RateLimit-Reset</code>: seconds until as many as <code>RateLimit-Limit</code> may be sent again.</li>
</ul>
<p>A call above the limits is refused with 429
<a href="/docs/errors#rate_limited"><code>rate_limited</code></a>, before its body is read. Wait for its
<code>Retry-After</code> before you try again. Bodies above their limit are not refused: they are read more
slowly.</p>
<h2>Limits of a call</h2>
<div class="wide" tabindex="0" role="region" aria-label="Limits of a call"><table>
<tbody>!${each(callLimits(facts), limitRow)}</tbody>
</table></div>
<p><code>limits</code> of <a href="/docs#capabilities">/capabilities</a> has the same numbers for
programs.</p>
!${visitorSection(facts)}<h2>When to try again</h2>
<ul>
<li><strong>429 and 503</strong>: wait at least for <code>Retry-After</code>, and add a random time, so that
clients that were refused together do not try again together.</li>
<li>While the service refuses calls of your team with 503 <a href="/docs/errors#queue_full"><code>queue_full</code></a>, further
calls with bodies above 256 KiB wait for a moment before they are read: fewer calls at a time get as much done.</li>
<li><strong>A broken connection</strong>: try again. A call changes nothing in the service.</li>
<li><strong>502 and 504</strong>: try once more, then report the <code>request_id</code>. After 504, allow
more time with <code>x-request-timeout-ms</code>.</li>
<li><strong>All other 4xx</strong>: do not try again. The same call will fail again.</li>
<li>Four attempts within a minute are enough. If a call may wait longer, keep it in a queue of your own.</li>
</ul>
<p>The TypeScript client <code>@faceline/client</code> does this after 429, 503 and broken connections; it
does not retry after 502 and 504. <code>npm run pack:client</code> in the repository builds it.</p>
<h2>Compute once: Idempotency-Key</h2>
<p>A retry after a broken connection is computed, and counted, again. To avoid that, send an
<code>Idempotency-Key</code> of your own with the call:</p>
<ul>
<li>The same key with the same body waits for the first call, or gets its answer for
${formatDuration(facts.idempotencyKeptMs)}, byte for byte, with <code>Idempotency-Replayed: true</code>.</li>
<li>The same key with another body is 409
<a href="/docs/errors#idempotency_conflict"><code>idempotency_conflict</code></a>.</li>
<li>After 429 or 5xx the key is free again, so a retry is computed.</li>
<li>The answer, embeddings included, stays in the memory of the service for that time. Without the header
nothing is kept.</li>
</ul>
</div>`,
};

/** Nothing where the operator has turned the tester off. */
function visitorSection(facts: Facts): Html {
  if (!facts.tester.on) return nothing;
  return html`<h2>Limits without a key</h2>
<p>The <a href="/">tester</a> runs calls without a key, for its own page alone.</p>
<div class="wide" tabindex="0" role="region" aria-label="Limits without a key"><table>
<tbody>!${each(visitorLimits(facts), limitRow)}</tbody>
</table></div>
<p>All visitors together may have few calls in flight: above that, and above these limits, a call is refused
with 429 and <code>Retry-After</code>.</p>
`;
}

type Limit = { name: string; value: string };

function limitRow({ name, value }: Limit): Html {
  return html`<tr><th scope="row">${name}</th><td class="number">${value}</td></tr>
`;
}

const teamLimits = ({ limits, teamBodyBytesPerSecond }: Facts): Limit[] => [
  { name: "Calls per second", value: orUnlimited(limits.team_requests_per_second, formatCount) },
  { name: "Calls at once after a pause", value: orUnlimited(limits.team_requests_burst, formatCount) },
  { name: "Calls in flight", value: orUnlimited(limits.team_in_flight, formatCount) },
  { name: "Bytes of bodies per second and ingress", value: orUnlimited(teamBodyBytesPerSecond, formatBytes) },
];

const callLimits = ({ limits }: Facts): Limit[] => [
  { name: "Body", value: formatBytes(limits.body_bytes) },
  { name: "Image", value: formatBytes(limits.image_bytes) },
  { name: "Pixels of an image", value: formatMillions(limits.image_pixels) },
  { name: "Candidates of a /compare that are embeddings", value: formatCount(limits.candidate_vectors) },
  { name: "Candidates of a /compare that are images", value: formatCount(limits.candidate_images) },
  { name: "Faces returned for an image", value: formatCount(limits.faces) },
  { name: "Deadline of a call, by default", value: formatDuration(limits.deadline_default_ms) },
  {
    name: "Deadline that a call may set",
    value: `${formatDuration(limits.deadline_min_ms)} to ${formatDuration(limits.deadline_max_ms)}`,
  },
];

const visitorLimits = ({ tester }: Facts): Limit[] => [
  { name: "Calls per minute from one address", value: formatCount(tester.requestsPerMinute) },
  { name: "Calls at once after a pause", value: formatCount(tester.requestsBurst) },
  { name: "Body", value: formatBytes(tester.bodyBytes) },
  { name: "Image", value: formatBytes(tester.imageBytes) },
  { name: "Pixels of an image", value: formatMillions(tester.imagePixels) },
  { name: "Images to compare one with", value: formatCount(tester.candidates) },
  { name: "Longest deadline", value: formatDuration(tester.deadlineMs) },
];

const orUnlimited = (limit: number, format: (limit: number) => string): string =>
  limit === 0 ? "not limited" : format(limit);
