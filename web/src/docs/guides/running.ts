import { type Html, html } from "../../html.ts";
import { codeBlock } from "../code-block.ts";
import type { DocsPage } from "../docs-page.ts";

export const runningGuide: DocsPage = {
  path: "/docs/running",
  title: "Running it",
  description: "How to start a Faceline of your own, and what to set before others use it.",
  body: (): Html => html`<div class="prose">
<h1>Running it</h1>
<p class="lead">Two commands on a machine of your own. All settings are environment variables;
<code>ARCHITECTURE.md</code> in the repository lists each with its unit and default.</p>
<h2>Start</h2>
<p>You need Node 20 or newer, Java 17 and Maven. In a clone of the repository:</p>
!${codeBlock({ caption: "Start, and test", code: "npm start\nnpm test", language: "curl" })}
<p><code>npm start</code> fetches what is missing, builds the models, and starts Kafka, two Redis servers and
the three services. At the end it prints an address, a key and a call to paste. Ctrl-C stops everything, after
the calls that were accepted have been answered.</p>
<h2>More than one of each</h2>
!${codeBlock({ caption: "Two of each service", code: "npm start -- --workers 2 --batchers 2 --ingress 2", language: "curl" })}
<p>Without <code>--workers</code> there is one worker per core, as far as memory allows. A second batcher is a
hot standby. A second ingress listens on the next port. To use servers that run already, pass their addresses;
then none is started:</p>
!${codeBlock({ caption: "Servers of your own", code: "KAFKA_BROKERS=… REDIS_VOLATILE_URL=redis://… REDIS_DURABLE_URL=redis://… npm start", language: "curl" })}
<h2>Before others use it</h2>
<ul>
<li><strong>TLS.</strong> The service serves plain HTTP and listens on loopback. Put a proxy with TLS in front
of it, at the root of a host name, and set <code>PUBLIC_URL</code> to the address that people see. Errors and
examples then show it. Let the proxy pass bodies of <code>BODY_BYTES_MAX</code> and wait as long as
<code>DEADLINE_MAX_MS</code>.</li>
<li><strong>Keys.</strong> Make one for each program: <a href="/docs/keys">keys</a>. <code>AUTH=off</code>
lets everybody call who reaches the service: only for a private network.</li>
<li><strong>Redis.</strong> The volatile server holds images: it must neither persist, replicate nor evict,
and the services refuse to use one that does. The durable server holds keys: it must persist. Whoever can
publish on the volatile one can forge an answer, so keep both on a private network, with passwords and
TLS.</li>
<li><strong>Swap and core dumps</strong> can write images to a disk. Turn both off, or encrypt them, where
that matters.</li>
<li><strong>Thresholds.</strong> Measure on your own images: <a href="/docs/thresholds">what a threshold
means</a>.</li>
<li><strong>Licences and law.</strong> <code>NOTICE</code> says what is known of the models and their training
data. You need a legal basis to process faces.</li>
</ul>
<h2>Pages</h2>
<p>These pages are part of the ingress. They are rendered when somebody opens the first one, in a thread, so
calls do not wait for that. <code>PAGES=off</code> turns them off; the API stays.</p>
</div>`,
};
