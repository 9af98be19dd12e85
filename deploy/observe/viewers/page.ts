import { searches } from "./searches.ts";

/** The page of links, as HTML: what to look at. Without Prometheus, its part says so. */
export function linksPage({ zipkin, prometheus, operators }: PageOptions): string {
  const live = (service: string) => {
    const own = operators.filter(({ process }) => process.startsWith(`${service}-`));
    return own.map(({ process, origin }) => link(`${origin}/live`, process)).join(", ");
  };
  const sections = [
    section("In an incident", [
      list([
        `Slow, and in which part or hop? Refused, and why? Which team is loud? ${live("ingress")}`,
        `Which worker is slow or fails? Which batch sizes? Is a rollout half done? ${live("batcher")}`,
        `One slow or refused call, hop by hop? ${link("/traces/slow", "slow calls")}, ${link("/traces/refused", "refused ones")}`,
        `Is Redis nearly full? At the end of ${live("ingress")}`,
        `What would a second worker change? <code>npm run plan</code> says it, without a change.`,
      ]),
    ]),
    section("Traces", [
      "A call is one trace, and a batch another. A red span has failed; its tag <code>error</code> says why.",
      list(Object.entries(searches).map(([name, { title }]) => link(`/traces/${name}`, title))),
      `A trace of your own call: its id is in the header <code>traceparent</code> of the reply; open
       <code>${zipkin}/zipkin/traces/ID</code>. All is in memory and ends with <code>npm start</code>.`,
    ]),
    section(
      "Metrics",
      prometheus === undefined
        ? ["Prometheus is not here; the pages of the processes below have the present values."]
        : [
            list([
              link(`${prometheus}/graph`, "charts of any expression"),
              link(`${prometheus}/graph?g0.tab=1&g0.expr=${versions}`, "which version each process runs"),
              link(`${prometheus}/alerts`, "alerts"),
              link(`${prometheus}/targets`, "which processes answer Prometheus"),
            ]),
          ],
    ),
    section("Processes", [
      `<table>${operators
        .map(
          ({ process, origin }) =>
            `<tr><th>${process}</th><td>${link(`${origin}/live`, "live")}</td><td>${link(`${origin}/metrics`, "metrics")}</td><td>${link(`${origin}/readyz`, "ready?")}</td></tr>`,
        )
        .join("\n")}</table>`,
      `Where <code>OPERATORS_TOKEN</code> is set, "live" asks for it, and a browser cannot open "metrics":
       <code>curl -H "authorization: Bearer TOKEN" ADDRESS</code>.`,
    ]),
  ];
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Faceline</title><style>${style}</style>
<h1>Faceline: what it does</h1>
${sections.join("\n")}
</html>
`;
}

const versions = encodeURIComponent("faceline_build_info");

const section = (title: string, parts: string[]): string =>
  `<section><h2>${title}</h2>\n${parts.map((part) => (part.startsWith("<") ? part : `<p>${part}</p>`)).join("\n")}</section>`;
const list = (items: string[]): string => `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`;
const link = (address: string, text: string): string => `<a href="${escaped(address)}">${escaped(text)}</a>`;
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}
h2{font-size:1.1rem;margin:1.5rem 0 .3rem}ul{margin:.3rem 0;padding-left:1.2rem}p{margin:.3rem 0}
th{text-align:left;font-weight:normal;padding-right:2rem}td{padding-right:1.5rem}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}a{color:#8ab4f8}}`;

type PageOptions = {
  /** Origins: `http://127.0.0.1:9411`. */
  zipkin: string;
  /** Origin and path of its pages. Undefined where it is not installed. */
  prometheus: string | undefined;
  operators: { process: string; origin: string }[];
};
