import { type Html, html } from "../../html.ts";
import { codeBlock } from "../code-block.ts";
import type { DocsPage } from "../docs-page.ts";

export const operatingGuide: DocsPage = {
  path: "/docs/operating",
  title: "Operating it",
  description: "Health, metrics, traces and logs, and what happens when a part fails.",
  body: (): Html => html`<div class="prose">
<h1>Operating it</h1>
<p class="lead">What to watch, how to find one call again, and what happens when a part fails. The chapters
for operators have the details: <a href="/docs/operating/containers">containers</a>,
<a href="/docs/operating/kubernetes">Kubernetes</a>, <a href="/docs/operating/sizing">sizing</a>,
<a href="/docs/operating/upgrades">upgrades</a>, <a href="/docs/operating/back-up-and-restore">back-up and
restore</a>, <a href="/docs/operating/runbook">what each alert means</a>,
<a href="/docs/operating/data-protection-gdpr">data protection</a>, and more in the list of contents. They are
<code>deploy/OPERATING.md</code> of the repository.</p>
<h2>Health</h2>
<ul>
<li><a href="/docs#livez">/livez</a>: the process runs. Restart it if this fails.</li>
<li><a href="/docs#readyz">/readyz</a>: the process accepts calls. Send calls to another one while this
fails.</li>
<li><a href="/docs#health">/health</a>: could a call be served now, and by which workers? For people and
dashboards.</li>
</ul>
<h2>Metrics, traces and logs</h2>
<ul>
<li><code>OPERATORS_PORT</code> opens a separate port in every process, with metrics for Prometheus, liveness,
readiness and a page of what the process does now. On any address but loopback it needs
<code>OPERATORS_TOKEN</code>.</li>
<li><code>OTEL_EXPORTER_OTLP_ENDPOINT</code> sends metrics and traces to your OTLP receiver. A call is one
trace from its client to the worker and back.</li>
<li>Logs are JSON, one line for each event. A call that was refused, retried or late has a line with its
<code>request_id</code>, the time of each part, and the reason in one sentence.</li>
</ul>
!${codeBlock({ caption: "To see all of it on one machine", code: "npm start -- --observe", language: "curl" })}
<h2>Letting people in</h2>
<ol>
<li><code>npm run keys -- operator --email you@example.org</code> makes you an operator and gives you an
address that signs you in.</li>
<li>At <code>/admin</code> you approve people from the waitlist, or add them. Each becomes a member of a team, whose limits
you set there, and gets a sign-in address. It is shown once; on the page of the person you make a new one, or cancel it.</li>
<li>Members make their own keys on <code>/dashboard</code>.</li>
</ol>
!${codeBlock({ caption: "The same by commands", code: peopleCommands, language: "curl" })}
<p><code>forget</code> removes all that is stored of a person. The audit log at <code>/admin/audit</code> shows who changed
what, and <code>/admin/usage</code> which team makes how many calls.</p>
<h2>“My call failed”</h2>
<ol>
<li>Ask for the <code>request_id</code>. Every error reply has it, and <code>x-request-id</code> of every
reply has it too.</li>
<li>Search the logs of the ingress for it. The line says what happened, and where the time went.</li>
<li>503 <a href="/docs/errors#queue_full"><code>queue_full</code></a> or
<a href="/docs/errors#queue_timeout"><code>queue_timeout</code></a>: more calls than the workers can handle.
Add workers, or lower the limits of the team that sends most of them.</li>
<li>503 <a href="/docs/errors#dependency_unavailable"><code>dependency_unavailable</code></a>: Kafka or Redis
cannot be reached. <a href="/docs/errors#model_unavailable"><code>model_unavailable</code></a>: no worker has
the model loaded.</li>
</ol>
<h2>When a part fails</h2>
<div class="wide" tabindex="0" role="region" aria-label="When a part fails"><table>
<thead><tr><th scope="col">Part</th><th scope="col">What follows</th></tr></thead>
<tbody>
<tr><th scope="row">A worker</th><td>If it sends no report for 1 s, its batches go to other workers, in smaller parts. The first answer counts.</td></tr>
<tr><th scope="row">The batcher</th><td>The standby takes over, with the first unfinished task. Without a standby, calls wait or are refused until the batcher is restarted.</td></tr>
<tr><th scope="row">An ingress</th><td>Its connections close. Clients try again, and the load balancer sends them to another ingress.</td></tr>
<tr><th scope="row">Kafka, or the volatile Redis</th><td>Calls are refused at once with 503, until it is back.</td></tr>
<tr><th scope="row">The durable Redis</th><td>Keys that were used lately stay valid for some minutes; unknown ones get 503. Counted calls wait in memory and are written later.</td></tr>
</tbody>
</table></div>
<h2>Changing a model</h2>
<p>Workers with the old and the new weights may run side by side; all images of one call are computed with
the same weights. Stored embeddings belong to a <code>model_version</code>: calls that name a version that
no worker runs are refused. So compute the embeddings again before you retire the old weights. Afterwards,
measure your threshold again.</p>
<h2>Adding a model</h2>
<p>MobileFaceNet is a second model for embeddings, of another architecture and other training than Dlib. Its weights
are not installed with the rest: <code>npm run models -- pull MobileFaceNet</code> shows their licences and what is
known of their training, asks whether you accept, fetches them and builds the model (without a terminal,
<code>--accept-licence</code> accepts). Then name it in <code>MODELS</code>, the same for
workers and ingresses: workers load it with each detector of <code>DETECTORS</code>, and calls may name it:</p>
!${codeBlock({ caption: "To try it on one machine", code: addModelCommands, language: "curl" })}
<p>A recogniser of your own, or one that others publish as an ONNX file, is added by a contract that says how it
wants a face: <code>npm run models -- add FILE --contract JSON</code>, or <code>pull</code> with an address and a
SHA-256. <code>models/README.md</code> describes contracts. <code>--from FOLDER</code> pulls without a network.</p>
<p>Each lane that is loaded takes memory in every worker. Thresholds, distances and stored embeddings of one
model say nothing about another.</p>
<h2>What to back up</h2>
<p>The durable Redis: it has the people, the keys, the limits of teams and the counts of their calls. Everything else can be
made again, and the
volatile Redis must never be copied.</p>
</div>`,
};

const addModelCommands = `npm run models -- pull MobileFaceNet
MODELS=Dlib,MobileFaceNet npm start`;

const peopleCommands = `npm run keys -- waitlist
npm run keys -- approve --email ada@example.org --team ants --per-second 20
npm run keys -- sign-in-address --email ada@example.org
npm run keys -- forget --email ada@example.org`;
