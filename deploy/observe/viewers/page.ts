import { htmlOf } from "@faceline/runtime/live/view/html";
import { node, type ViewNode } from "@faceline/runtime/live/view/node";
import type { ProcessAddress } from "./process-readings.ts";
import { searches } from "./searches.ts";

/** Returns the links page as HTML: the state of each process (`cards`), and what else there is to look at. */
export function linksPage(options: PageOptions, cards: ViewNode): string {
  const { zipkin, prometheus, processes } = options;
  const sections = [
    section("Processes", "What each process says of itself now.", cards, tokenNote),
    section("In an incident", "Each question leads to its answer.", incidentList(processes)),
    section(
      "Traces",
      "Each request is one trace in Zipkin, and each batch another. Traces end with npm start.",
      linkList(Object.entries(searches).map(([name, each]) => ({ address: `/traces/${name}`, ...each }))),
      node(
        "p",
        {},
        "To find the trace of a request, put the trace id of its response header ",
        code("traceparent"),
        " into ",
        code(`${zipkin}/zipkin/traces/ID`),
      ),
    ),
    prometheus === undefined
      ? section("Metrics", "Prometheus is not installed. Live pages show the values of now.")
      : section("Metrics", "Prometheus keeps the last 24 h.", linkList(prometheusLinks(prometheus))),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Observe · Faceline</title>
<link rel="icon" type="image/svg+xml" href="live/assets/design/icon.svg">
<link rel="stylesheet" href="live/assets/design/tokens.css">
<link rel="stylesheet" href="live/assets/live/style.css">
<script type="module" src="live/assets/live/browser/refresh.ts"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<span class="brand"><img src="live/assets/design/icon.svg" alt="" width="28" height="28">Faceline</span>
<h1>Observe</h1>
<span id="link" class="link">loading</span>
</header>
<main id="main" tabindex="-1">
<p id="notice" class="notice" role="status" hidden>npm start does not respond, so the cards are old. The page retries every 2 s.</p>
${sections.map(htmlOf).join("\n")}
</main>
</body>
</html>
`;
}

const section = (heading: string, words: string, ...content: ViewNode[]): ViewNode =>
  node("section", { class: "wide" }, node("h2", {}, heading), node("p", {}, words), ...content);

const tokenNote = node(
  "p",
  { class: "dim" },
  "With OPERATORS_TOKEN, live pages ask for the token, and metrics need it: ",
  node("code", {}, 'curl -H "authorization: Bearer TOKEN" ADDRESS'),
);

function incidentList(processes: readonly ProcessAddress[]): ViewNode {
  const live = (service: string) =>
    processes
      .filter(({ process }) => process.startsWith(`${service}-`))
      .flatMap(({ process, origin }) => [link(`${origin}/live`, process), " "]);
  return node(
    "ul",
    {},
    node(
      "li",
      {},
      "Which part of a request is slow? Why are requests refused? Which team is loud? ",
      live("ingress"),
    ),
    node(
      "li",
      {},
      "Which worker is slow or fails? Which batch sizes run? Is a rollout half done? ",
      live("batcher"),
    ),
    node(
      "li",
      {},
      "What happened to one request, hop by hop? ",
      link("/traces/slow", "Slow requests"),
      " ",
      link("/traces/refused", "Refused requests"),
    ),
    node("li", {}, "Is Redis nearly full? At the end of the live page of ", live("ingress")),
    node("li", {}, "Would a second worker help? ", code("npm run plan"), " answers without a change."),
  );
}

const prometheusLinks = (prometheus: string): PageLink[] => [
  { address: `${prometheus}/graph`, title: "Charts", shows: "any expression over time" },
  {
    address: `${prometheus}/graph?g0.tab=1&g0.expr=${encodeURIComponent("faceline_build_info")}`,
    title: "Versions",
    shows: "which version each process runs",
  },
  { address: `${prometheus}/alerts`, title: "Alerts", shows: "every rule, and which of them fire" },
  { address: `${prometheus}/targets`, title: "Targets", shows: "which processes Prometheus reaches" },
];

const linkList = (links: readonly PageLink[]): ViewNode =>
  node(
    "dl",
    { class: "facts pages" },
    ...links.map(({ address, title, shows }) =>
      node("div", {}, node("dt", {}, link(address, title)), node("dd", {}, shows)),
    ),
  );

const link = (href: string, text: string): ViewNode => node("a", { href }, text);
const code = (text: string): ViewNode => node("code", {}, text);

type PageLink = { address: string; title: string; shows: string };

type PageOptions = {
  /** Origins: `http://127.0.0.1:9411`. */
  zipkin: string;
  /** Origin and path of its pages. Undefined where it is not installed. */
  prometheus: string | undefined;
  processes: readonly ProcessAddress[];
};
