import { formatCount, formatDuration } from "../../format.ts";
import { each, type Html, html } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";

export const batchingGuide: DocsPage = {
  path: "/docs/batching",
  title: "Batching and deadlines",
  description: "What happens between a call and its answer, and how to get the most out of it.",
  body: ({ limits }): Html => html`<div class="prose">
<h1>Batching and deadlines</h1>
<p class="lead">A model needs less time for each image when it runs on several at once. So the service
collects images of many calls into batches, as far as the deadlines of the calls allow.</p>
<h2>From call to answer</h2>
<ol>
<li>Each image of a call becomes a task.</li>
<li>Tasks for the same model and detector wait in one queue. Teams take turns in it; among the tasks of one
team the earliest deadline goes first.</li>
<li>A free worker gets a batch: as many tasks as it runs efficiently and can still answer in time. If there
are no other calls, a task is sent at once.</li>
<li>The worker finds the faces and computes their embeddings for the whole batch. The call is answered when its
last image is done.</li>
</ol>
<h2>Deadlines</h2>
<p>A call has to be answered within ${formatDuration(limits.deadline_default_ms)}, or within the milliseconds
in <code>x-request-timeout-ms</code>, from ${formatDuration(limits.deadline_min_ms)} to
${formatDuration(limits.deadline_max_ms)}. Send the time that you are willing to wait:</p>
<ul>
<li>As soon as the service predicts that it cannot answer in time, it refuses the call with 503
<a href="/docs/errors#queue_timeout"><code>queue_timeout</code></a>, instead of computing an answer that
nobody waits for.</li>
<li>If the deadline passes nevertheless, the reply is 504
<a href="/docs/errors#upstream_timeout"><code>upstream_timeout</code></a>, and tasks that have not begun are
dropped.</li>
<li>If you close the connection, waiting tasks of the call are dropped too.</li>
</ul>
<p>A long deadline lets the service make larger batches under load. A short one does not make it faster.</p>
<h2>Many images</h2>
<ul>
<li>Make calls in parallel, as many as your limit of calls in flight allows, instead of one after another:
only calls that wait at the same time share a batch.</li>
<li>One <a href="/docs#compare">/compare</a> accepts up to ${formatCount(limits.candidate_images)} images.
It is answered when the last of them is done.</li>
<li>If you will compare a face again, compute its embedding once with <a href="/docs#represent">/represent</a>.
A /compare of embeddings alone runs no model, and accepts up to ${formatCount(limits.candidate_vectors)} of
them.</li>
<li>Teams take turns, so a team that sends too many calls delays mostly its own.</li>
</ul>
<h2>Where the time went</h2>
<p>Every reply to a call says in <code>Server-Timing</code> how many milliseconds each part took; browsers
show it in their developer tools. Time on the network to you is not included.</p>
<div class="wide" tabindex="0" role="region" aria-label="Parts of the time"><table>
<thead><tr><th scope="col">Part</th><th scope="col">What happens in it</th></tr></thead>
<tbody>!${each(Object.entries(timeParts), ([name, meaning]) => timeRow(name, meaning))}</tbody>
</table></div>
</div>`,
};

function timeRow(name: string, meaning: string): Html {
  return html`<tr><th scope="row"><code>${name}</code></th><td>${meaning}</td></tr>
`;
}

/** The parts of Server-Timing in its order. */
export const timeParts: Record<string, string> = {
  admission: "The ingress checks the key, the limits, the body and the file headers of the images.",
  publish: "The ingress stores the images in Redis, in memory, and the tasks are sent to Kafka.",
  hold: "The task waits for more tasks to join its batch, although a worker is free.",
  queue: "The task waits for a worker.",
  retry: "The task was in a batch that failed, or whose worker stopped responding, and was queued again.",
  hop: "Messages are on their way between the services; the sum of all of them.",
  prepare: "The worker fetches and decodes the images of the batch.",
  run: "The models run.",
  answer: "The worker publishes the answer.",
  gather: "The ingress computes distances and writes the reply.",
  unaccounted: "Time that no other part covers.",
  total: "From the arrival of the call to its reply.",
};
