import { tokensSheet } from "@faceline/runtime/design/style-sheet";
import { openReplyServer, type Reply, targetOf } from "@faceline/runtime/reply-server";

/**
 * Serves on loopback what `--observe` leads to: the links page at `/`, and `/traces/NAME`, which redirects to
 * a search in Zipkin.
 */
export async function openLinksPage(port: number, links: Links): Promise<AsyncDisposable> {
  const page = { status: 200, type: "text/html; charset=utf-8", text: await linksPage(links) };
  const limits = { requestTimeout: 5_000, headersTimeout: 5_000, connectionsMax: 64 };
  return openReplyServer({ host: "127.0.0.1", port, ...limits }, async (request): Promise<Reply> => {
    const { path } = targetOf(request);
    if (path === "/") return page;
    const location = searchAddress(links.zipkin, path.slice("/traces/".length), Date.now());
    if (location !== undefined) return { status: 302, headers: { location } };
    return { status: 404, text: "There is nothing here; the links page is at /\n" };
  });
}

/** Returns the links page as HTML: each process, and the questions of an operator with their answers. */
export async function linksPage({ zipkin, prometheus, processes }: Links): Promise<string> {
  const live = (service: string) =>
    processes
      .filter(({ process }) => process.startsWith(`${service}-`))
      .map(({ process, origin }) => link(`${origin}/live`, process))
      .join(" ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Observe · Faceline</title>
<link rel="icon" href="data:,">
<style>${await tokensSheet(undefined)}${ownStyle}</style>
</head>
<body>
<main>
<h1>Observe</h1>
<h2>Processes</h2>
<dl>${processes
    .map(({ process, origin }) => {
      const pages = [link(`${origin}/live`, "Live page"), link(`${origin}/metrics`, "Metrics")];
      return entry(process, [...pages, link(`${origin}/readyz`, "Readiness")].join(" "));
    })
    .join("")}</dl>
<p>With OPERATORS_TOKEN, live pages ask for the token, and metrics need it:
<code>curl -H "authorization: Bearer TOKEN" ADDRESS</code></p>
<h2>In an incident</h2>
<dl>${[
    entry(
      "Which part of a request is slow? Why are requests refused? Which team sends too much? Is Redis nearly full?",
      live("ingress"),
    ),
    entry("Which worker is slow or fails? Which batch sizes run? Is a rollout half done?", live("batcher")),
    entry(
      "What happened to one request, hop by hop?",
      `${link("/traces/slow", "Slow requests")} ${link("/traces/refused", "Refused requests")}`,
    ),
    entry("Would a second worker help?", "<code>npm run plan</code> answers without changing anything"),
  ].join("")}</dl>
<h2>Traces</h2>
<p>Each request is one trace in Zipkin, and each batch another; they share <code>faceline.batch.id</code>.
Traces end with npm start.</p>
<dl>${Object.entries(searches)
    .map(([name, { title, shows }]) => entry(link(`/traces/${name}`, title), shows))
    .join("")}</dl>
<p>To find the trace of a request, put the trace id of its response header <code>traceparent</code> into
<code>${zipkin}/zipkin/traces/ID</code></p>
<h2>Metrics</h2>
${
  prometheus === undefined
    ? "<p>Prometheus is not installed. Live pages show current values.</p>"
    : `<p>Prometheus keeps the last 24 h.</p>
<dl>${[
        entry(link(`${prometheus}/graph`, "Charts"), "any expression over time"),
        entry(
          link(`${prometheus}/graph?g0.tab=1&amp;g0.expr=faceline_build_info`, "Versions"),
          "which version each process runs",
        ),
        entry(link(`${prometheus}/alerts`, "Alerts"), "every rule, and which of them fire"),
        entry(link(`${prometheus}/targets`, "Targets"), "which processes Prometheus reaches"),
      ].join("")}</dl>`
}
</main>
</body>
</html>
`;
}

const link = (address: string, title: string): string => `<a href="${address}">${title}</a>`;
const entry = (title: string, shows: string): string => `<div><dt>${title}</dt><dd>${shows}</dd></div>`;

const ownStyle = `
body { margin: 0; background: var(--ground); color: var(--ink); font: var(--text-m)/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: var(--space-6); }
a { color: var(--accent); }
dl div { display: grid; grid-template-columns: 1fr 1fr; gap: var(--space-4); padding: var(--space-2) 0; }
dd { margin: 0; color: var(--dim); }
code { font-size: var(--text-code); overflow-wrap: anywhere; }
`;

/** Searches in Zipkin that answer usual questions, by name. */
const searches = {
  latest: {
    title: "Latest requests",
    shows: "the last 15 minutes",
    query: { serviceName: "faceline-ingress" },
  },
  slow: {
    title: "Slow requests",
    shows: "500 ms and more",
    query: { serviceName: "faceline-ingress", minDuration: "500000" },
  },
  refused: {
    title: "Refused requests",
    shows: "status 503: refused under load",
    query: { serviceName: "faceline-ingress", annotationQuery: "http.response.status_code=503" },
  },
  failed: {
    title: "Errors",
    shows: "every failed span; its tag error says why",
    query: { annotationQuery: "error" },
  },
  retried: {
    title: "Retried requests",
    shows: "a worker or a batch was lost",
    query: { annotationQuery: "faceline.attempt=2" },
  },
  // The first span of a batch alone has it.
  batches: {
    title: "Batches",
    shows: "search for the faceline.batch.id of one to find its requests",
    query: { annotationQuery: "faceline.batch.predicted_end_ms" },
  },
};

/**
 * Returns the address of a search at Zipkin: the last 15 minutes before `now`, in epoch ms. Undefined if
 * there is no search of this name. Zipkin searches at once only where the address says until when.
 */
export function searchAddress(zipkin: string, name: string, now: number): string | undefined {
  if (!Object.hasOwn(searches, name)) return undefined;
  const { query } = searches[name as keyof typeof searches];
  const parameters = new URLSearchParams({ ...query, lookback: "15m", limit: "50", endTs: `${now}` });
  return `${zipkin}/zipkin/?${parameters.toString()}`;
}

/** Addresses that the page leads to. */
type Links = {
  /** Origin: `http://127.0.0.1:9411`. */
  zipkin: string;
  /** Origin and path of its pages. Undefined if it is not installed. */
  prometheus: string | undefined;
  /** Each process by the name that the launcher gives it, and the origin of its operators' port. */
  processes: readonly { process: string; origin: string }[];
};
