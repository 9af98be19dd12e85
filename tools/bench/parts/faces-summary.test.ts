import assert from "node:assert/strict";
import test from "node:test";
import type { MeasuredLoop } from "../load/generator.ts";
import { type FaceCase, ratiosToPeers, summariseFaces, tally, type Verdict } from "./faces-summary.ts";

test("the rounds of a server are one set of calls: rates are over all their time, quantiles over all their calls", () => {
  const [summary] = summariseFaces(
    [
      round("Faceline", 0, { busy: loop([100, 200, 300, 400], 1_000), single: loop([50], 500) }),
      round("Faceline", 1, { busy: loop([500, 600], 1_000), single: loop([70, 60], 500) }),
    ],
    [],
  );
  assert.equal(summary!.busy.perSecond, 3);
  assert.deepEqual([summary!.busy.p50, summary!.busy.p99], [300, 600]);
  assert.deepEqual([summary!.single.p50, summary!.single.answered], [60, 3]);
});

test("a failed call is counted as failed alone, and has no latency", () => {
  const busy = loop([100, 1], 1_000);
  busy.calls[1]!.status = 500;
  const [summary] = summariseFaces([round("LitServe", 0, { busy, single: loop([], 500) })], []);
  assert.deepEqual(
    { ...summary!.busy, cores: 0 },
    { answered: 1, failed: 1, perSecond: 1, p50: 100, p99: 100, cores: 0 },
  );
  assert.deepEqual([summary!.single.p50, summary!.single.p99], [null, null]);
});

test("the cores of a server exclude the load generator and the rest of the machine", () => {
  const cpu = { services: 1.5, kafka: 0.5, "load generator": 9, "everybody else": 9 };
  const [summary] = summariseFaces([round("Faceline", 0, { busy: { ...loop([1], 1_000), cpu } })], []);
  assert.equal(summary!.busy.cores, 2);
});

test("memory is that of all its processes, the mean over the rounds", () => {
  const [summary] = summariseFaces(
    [
      { ...round("Faceline", 0), mib: { kafka: 300, "ingress-1": 100 } },
      { ...round("Faceline", 1), mib: { kafka: 310, "ingress-1": 110 } },
    ],
    [],
  );
  assert.equal(summary!.mib, 410);
});

test("a ratio to a peer is that of the rounds in which both were measured, and needs two of them", () => {
  const busy = (requests: number) => ({ busy: loop(Array<number>(requests).fill(10), 1_000) });
  const cases = [
    round("Faceline", 0, busy(30)),
    round("LitServe", 0, busy(10)),
    round("LitServe", 1, busy(5)),
    round("Faceline", 1, busy(15)),
    round("Faceline", 2, busy(99)),
    round("FastAPI", 0, busy(10)),
  ];
  const ratios = ratiosToPeers(cases, "Faceline").map(({ server, what, ratio }) => [
    server,
    what,
    Math.round(100 * ratio) / 100,
  ]);
  assert.deepEqual(ratios, [
    ["LitServe", "requests/s", 3],
    ["LitServe", "p50 of a single request", 1],
  ]);
});

test("a verdict is right where it equals the label, and a missing one is not right", () => {
  const all = [
    verdict(true, true),
    verdict(false, false),
    verdict(true, false),
    verdict(false, true),
    verdict(false, null),
  ];
  assert.deepEqual(tally(all), { requested: 5, right: 2, unanswered: 1, threshold: null });
  assert.deepEqual(tally([]), { requested: 0, right: 0, unanswered: 0, threshold: null });
});

test("the threshold is the one that the server says it used", () => {
  const answered = { ...verdict(true, true), threshold: 0.07 };
  assert.equal(tally([verdict(true, null), answered]).threshold, 0.07);
});

function loop(tookMs: number[], countedMs: number): MeasuredLoop {
  return {
    calls: tookMs.map((each) => ({ status: 200, tookMs: each })),
    tookMs: countedMs,
    cpu: null,
    threads: null,
  };
}

const round = (server: string, number: number, loops: Partial<FaceCase> = {}): FaceCase => ({
  server,
  round: number,
  busy: loop([10], 1_000),
  single: loop([10], 1_000),
  mib: null,
  pssMib: null,
  ...loops,
});

const verdict = (samePerson: boolean, verified: boolean | null): Verdict => ({
  first: "a.jpg",
  second: "b.jpg",
  samePerson,
  verified,
});
