// Covers process-cards.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import {
  batcher,
  count,
  inference,
  ingress,
  series,
  stateOf,
  worker,
} from "@faceline/runtime/live/testing/states";
import { textOf } from "@faceline/runtime/live/view/node";
import { linksPage } from "./page.ts";
import { processCards } from "./process-cards.ts";

const processes = [
  { process: "ingress-1", origin: "http://127.0.0.1:9464" },
  { process: "batcher-1", origin: "http://127.0.0.1:9480" },
];
const options = { zipkin: "http://127.0.0.1:9411", prometheus: "http://127.0.0.1:9090", processes };
const cards = processCards([
  { ...processes[0]!, state: stateOf(ingress()) },
  { ...processes[1]!, fault: "Nothing listens at 127.0.0.1:9480: <the process> is starting, or has ended." },
]);

test("the page leads to traces, charts, alerts and each process", () => {
  const page = linksPage(options, cards);
  for (const address of [
    "/traces/latest",
    "/traces/retried",
    "http://127.0.0.1:9090/graph",
    "http://127.0.0.1:9090/graph?g0.tab=1&amp;g0.expr=faceline_build_info",
    "http://127.0.0.1:9090/alerts",
    "http://127.0.0.1:9464/live",
    "http://127.0.0.1:9464/metrics",
  ]) {
    assert.ok(page.includes(`href="${address}"`), address);
  }
});

test("each question of an incident is one click from its answer", () => {
  const [, incident = ""] = /In an incident([^]*?)<\/section>/.exec(linksPage(options, cards)) ?? [];
  for (const [question, address] of [
    ["Which team", "http://127.0.0.1:9464/live"],
    ["Redis", "http://127.0.0.1:9464/live"],
    ["Which worker", "http://127.0.0.1:9480/live"],
    ["one request", "/traces/refused"],
  ] as const) {
    const line = incident.split("<li>").find((each) => each.includes(question));
    assert.ok(line?.includes(`href="${address}"`), question);
  }
});

test("without Prometheus the page says so, and has no links to it", () => {
  const page = linksPage({ ...options, prometheus: undefined }, cards);
  assert.match(page, /Prometheus is not installed/);
  assert.doesNotMatch(page, /:9090/);
});

test("every link has a name with a capital, and the page a title, a mark and a favicon", () => {
  const page = linksPage(options, cards);
  const names = Array.from(page.matchAll(/<a href="[^"]*">([^<]*)</g), ([, name]) => name!);
  assert.deepEqual(
    names.filter((name) => !/^[A-Z]/.test(name) && !processes.some(({ process }) => process === name)),
    [],
  );
  assert.match(page, /<title>Observe · Faceline<\/title>/);
  assert.equal(page.match(/live\/assets\/design\/icon\.svg/g)?.length, 2);
});

test("a card has health, p99 and refusals of a process, or why they cannot be read", () => {
  const shown = (reading: Parameters<typeof processCards>[0][number]) =>
    textOf(processCards([reading])).replaceAll(/\s+/g, " ");
  const [address] = processes as [(typeof processes)[0]];
  const refusing = stateOf(ingress({ refused: series(25) }));
  assert.match(
    shown({ ...address, state: refusing }),
    /are refused .* p99 of requests 240 ms .* Refused 2\.5 per second/,
  );
  assert.match(shown({ ...address, state: stateOf(batcher()) }), /All is well .* p99 of batches 102 ms/);
  const failing = stateOf(inference({ failed: count(3) }));
  assert.match(shown({ ...address, state: failing }), /fail .* p99 of runs 47 ms .* Failed batches 3/);
  assert.match(
    linksPage(options, cards),
    /Cannot be read.*Nothing listens at 127\.0\.0\.1:9480: &lt;the process&gt;/,
  );
});

test("a worker that its batcher finds slow has that on its card, with its name and its id", () => {
  const slow = worker({ runRatio: 1.84, isSlow: true });
  const readings = [
    { process: "batcher-1", origin: "http://b", state: stateOf(batcher({ workers: [slow] })) },
    { process: "inference-2", origin: "http://w", state: { ...stateOf(inference()), process: slow.worker } },
  ];
  const [, card = ""] = textOf(processCards(readings)).split("inference-2", 2);
  assert.match(
    card.replaceAll(/\s+/g, " "),
    /^ inference …e158 Slow Its runs take 1\.8 times .* by batcher-1\./,
  );
});
