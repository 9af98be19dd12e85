import assert from "node:assert/strict";
import test from "node:test";
import type { FaceCase } from "./faces-summary.ts";
import { ratioText, tallyText, threadsTable } from "./faces-tables.ts";

test("CPU time of a request is that of its threads by kind, those of a worker apart", () => {
  const threads = { "inference-1 engine": 1, "inference-2 engine": 1, "inference-1 V8Worker": 0.25 };
  const busy = { ...slow("Faceline", 40).busy, threads: { ...threads, "kafka java": 0.5, "redis-x y": 0.1 } };
  const [head, , row] = threadsTable([{ ...slow("Faceline", 40), busy }]).split("\n");
  assert.match(
    head!,
    /^\| engine +\| decoding \| worker's main thread and GC \| ingress \| batcher \| broker/,
  );
  assert.match(
    row!,
    /^\| 2000\.0 \| 0\.0 +\| 250\.0 +\| 0\.0 +\| 0\.0 +\| 500\.0 +\| 100\.0 +\| 2850\.0 \|$/,
  );
});

test("a part of the pairs is not shown as all of them", () => {
  const all = { requested: 300, right: 299, unanswered: 0, threshold: 0.6 };
  assert.equal(tallyText(all, 300), "299 at 0.6");
  assert.equal(tallyText({ ...all, requested: 18, right: 17 }, 300), "17 of 18 requested at 0.6");
  assert.equal(tallyText({ ...all, right: 260, unanswered: 14 }, 300), "260 at 0.6, 14 without a verdict");
  assert.equal(tallyText({ ...all, threshold: null }, 300), "299");
});

test("an interval that holds 1 is no difference", () => {
  assert.equal(ratioText({ ratio: 1.1, low: 0.98, high: 1.23 }), "no difference shown (0.98 to 1.23)");
  assert.equal(ratioText({ ratio: 1.1, low: 1.05, high: 1.15 }), "1.10 (1.05 to 1.15)");
});

function slow(server: string, tookMs: number): FaceCase {
  const calls = { calls: [{ status: 200, tookMs }], tookMs: 1_000, cpu: null, threads: null };
  return { server, round: 0, busy: calls, single: calls, mib: null, pssMib: null };
}
