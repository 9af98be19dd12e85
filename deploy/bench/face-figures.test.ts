import assert from "node:assert/strict";
import test from "node:test";
import { betterPeers, type FaceCase, type FaceLoop, faceFigures, ratios } from "./face-figures.ts";

test("the rounds of a server are one set of calls: rates over all their time, quantiles over all their calls", () => {
  const [figures] = faceFigures(
    [
      round("Faceline", 0, { busy: loop([100, 200, 300, 400], 1_000), alone: loop([50], 500) }),
      round("Faceline", 1, { busy: loop([500, 600], 1_000), alone: loop([70, 60], 500) }),
    ],
    [],
  );
  assert.equal(figures!.busy.perSecond, 3);
  assert.deepEqual([figures!.busy.p50, figures!.busy.p99], [300, 600]);
  assert.deepEqual([figures!.alone.p50, figures!.alone.answered], [60, 3]);
});

test("what failed is counted, and is neither a call answered nor a latency", () => {
  const busy = loop([100, 1], 1_000);
  busy.calls[1]!.ended = 500;
  const [figures] = faceFigures([round("LitServe", 0, { busy, alone: loop([], 500) })], []);
  assert.deepEqual(
    { ...figures!.busy, cores: 0 },
    { answered: 1, failed: 1, perSecond: 1, p50: 100, p99: 100, cores: 0 },
  );
  assert.deepEqual([figures!.alone.p50, figures!.alone.p99], [null, null]);
});

test("a server's cores are its own: neither everybody else's nor the load generator's", () => {
  const cpu = { services: 1.5, kafka: 0.5, "load generator": 9, "everybody else": 9 };
  const [figures] = faceFigures([round("Faceline", 0, { busy: { ...loop([1], 1_000), cpu } })], []);
  assert.equal(figures!.busy.cores, 2);
});

test("memory is that of all its processes, the rounds' mean", () => {
  const [figures] = faceFigures(
    [
      { ...round("Faceline", 0), mib: { kafka: 300, "ingress-1": 100 } },
      { ...round("Faceline", 1), mib: { kafka: 310, "ingress-1": 110 } },
    ],
    [],
  );
  assert.equal(figures!.mib, 410);
});

test("where a peer is better is said, with the best of them; where none is, nothing", () => {
  const all = faceFigures(
    [
      { ...round("Faceline", 0, { busy: loop([10, 10], 1_000), alone: loop([40], 500) }), mib: { a: 500 } },
      { ...round("LitServe", 0, { busy: loop([20], 1_000), alone: loop([30], 500) }), mib: { a: 400 } },
      { ...round("FastAPI", 0, { busy: loop([20], 1_000), alone: loop([35], 500) }), mib: { a: 300 } },
    ],
    [
      {
        server: "Faceline",
        metric: "euclidean",
        tally: { asked: 300, right: 300, unanswered: 0, threshold: 0.6 },
      },
      {
        server: "LitServe",
        metric: "euclidean",
        tally: { asked: 300, right: 299, unanswered: 0, threshold: 0.6 },
      },
    ],
  );
  assert.deepEqual(betterPeers(all, "Faceline"), [
    "p50 ms, 1 in flight (LitServe 30, here 40)",
    "p99 ms, 1 in flight (LitServe 30, here 40)",
    "MiB in memory (FastAPI 300, here 500)",
  ]);
  assert.deepEqual(ratios(all, "Faceline"), { busyPerSecond: 2, aloneP50: 40 / 30 });
});

test("without a peer, or without an answer, there is nothing to compare", () => {
  const alone = faceFigures([round("Faceline", 0)], []);
  assert.equal(ratios(alone, "Faceline"), undefined);
  assert.deepEqual(betterPeers(alone, "Faceline"), []);
});

function loop(tookMs: number[], countedMs: number): FaceLoop {
  return { calls: tookMs.map((each) => ({ ended: 200, tookMs: each })), tookMs: countedMs, cpu: null };
}

const round = (server: string, number: number, loops: Partial<FaceCase> = {}): FaceCase => ({
  server,
  round: number,
  busy: loop([10], 1_000),
  alone: loop([10], 1_000),
  mib: null,
  ...loops,
});
