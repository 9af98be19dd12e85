import assert from "node:assert/strict";
import test from "node:test";
import { type FaceCase, summariseFaces } from "./faces-summary.ts";
import { byKind, facesTables, ratioText, tallyText } from "./faces-tables.ts";

test("processes are added up by kind: services, broker, Redis", () => {
  const values = { "ingress-1": 1, "inference-1": 2, "inference-2": 4, kafka: 8, "redis-volatile": 16 };
  assert.deepEqual(byKind({ ...values, "redis-durable": 32, "load generator": 64 }), {
    services: 7,
    broker: 8,
    "both Redis": 48,
    "load generator": 64,
  });
  assert.deepEqual(byKind({ "the peer": 3 }), { "the peer": 3 });
});

test("the first line says where a peer is better, and who was left out is named with the reason", () => {
  const cases = [slow("Faceline", 40), slow("LitServe", 30)];
  const [first, second] = print(cases).split("\n\n");
  assert.equal(
    first,
    "A peer is better in p50 ms, 8 in flight (LitServe 30, here 40); p99 ms, 8 in flight (LitServe 30, here 40); p50 ms, 1 in flight (LitServe 30, here 40); p99 ms, 1 in flight (LitServe 30, here 40).",
  );
  assert.equal(second, "Left out: DeepFace: it did not start");
});

test("the first line also says that no peer is better; without a peer it claims nothing", () => {
  assert.match(print([slow("Faceline", 30), slow("LitServe", 40)]), /^A peer is better in nothing/);
  assert.match(print([slow("Faceline", 30)]), /^Left out: DeepFace/);
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

const print = (cases: FaceCase[]): string =>
  facesTables({
    cases,
    summaries: summariseFaces(cases, []),
    own: "Faceline",
    pairs: 300,
    leftOut: [{ server: "DeepFace", why: "it did not start" }],
    remarks: [],
  });

function slow(server: string, tookMs: number): FaceCase {
  const calls = { calls: [{ status: 200, tookMs }], tookMs: 1_000, cpu: null };
  return { server, round: 0, busy: calls, single: calls, mib: null };
}
