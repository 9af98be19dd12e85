import { formatCount, formatDuration } from "../../format.ts";
import { each, type Html, html } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";

// Covered by ./batching.test.ts.

export const batchingGuide: DocsPage = {
  path: "/docs/batching",
  title: "Batching and deadlines",
  description: "What happens between a call and its answer, and how to get the most out of it.",
  body: ({ limits }): Html => html`<div class="prose">
<h1>Batching and deadlines</h1>
<p class="lead">Models run faster on several pictures at a time. The service collects the pictures of many calls into batches, and spends no more time on that than the calls have.</p>
<h2>From call to answer</h2>
<ol>
<li>Each picture of a call becomes a task.</li>
<li>Tasks for the same model and detector wait together, fairly over teams and the earliest deadline first.</li>
<li>When a worker is free, they leave as a batch: as many as make the worker efficient and still in time. If nobody else calls, a task leaves at once.</li>
<li>The worker finds the faces and computes their vectors for the whole batch. The answer goes back when the last picture of the call is done.</li>
</ol>
<h2>Deadlines</h2>
<p>A call has ${formatDuration(limits.deadline_default_ms)}, or what <code>x-request-timeout-ms</code> says, from ${formatDuration(limits.deadline_min_ms)} to ${formatDuration(limits.deadline_max_ms)}. Send the time that you would wait:</p>
<ul>
<li>If the call cannot be answered in it, it is refused at once with 503 <a href="/docs/errors#queue_timeout"><code>queue_timeout</code></a>, and no machine works for an answer that nobody reads.</li>
<li>If the time passes all the same, the reply is 504 <a href="/docs/errors#upstream_timeout"><code>upstream_timeout</code></a>, and tasks that have not begun are dropped.</li>
<li>If you close the connection, waiting tasks of the call are dropped too.</li>
</ul>
<p>A long deadline lets the service make larger batches under load. A short one does not make it faster.</p>
<h2>Many pictures</h2>
<ul>
<li>Make calls in parallel, as many as your limit of calls in flight allows, instead of one after another: batches are made of calls that are there at the same time.</li>
<li>One <a href="/docs#compare">/compare</a> takes up to ${formatCount(limits.candidate_images)} pictures. It is answered when the last of them is done.</li>
<li>A face that you will compare again: compute its vector once with <a href="/docs#represent">/represent</a>. A /compare of up to ${formatCount(limits.candidate_vectors)} vectors runs no model.</li>
<li>A flood of one team does not delay the others: teams take turns.</li>
</ul>
<h2>Where the time went</h2>
<p>Every reply to a call has the parts in <code>Server-Timing</code>, in milliseconds; browsers show them in their developer tools. What the network takes comes on top.</p>
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
  admission: "The ingress checks key, limits, body and the headers of pictures.",
  publish: "The pictures are stored in memory, and the tasks are sent.",
  hold: "A worker is free, and the task waits for others to make a batch.",
  queue: "The task waits for a worker.",
  retry: "A batch was lost or failed, and its tasks were queued again.",
  hop: "Messages are on their way between the services, all together.",
  prepare: "The worker fetches and decodes the pictures of the batch.",
  run: "The models run.",
  answer: "The answer is handed over.",
  gather: "The ingress computes distances and writes the reply.",
  unaccounted: "What none of the parts measured.",
  total: "From the arrival of the call to its reply.",
};
