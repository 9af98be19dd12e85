import assert from "node:assert/strict";
import test from "node:test";
import { type CountedCall, PendingUsage } from "./pending-usage.ts";
import { recentErrorsMax } from "./recent-error.ts";

const midnight = Date.UTC(2026, 10, 22);

test("calls are counted by team, day, endpoint and outcome, and taken once", () => {
  const pending = new PendingUsage({ countersMax: 100 });
  for (const different of [
    {},
    {},
    { team: "bees" },
    { endpoint: "/compare" },
    { outcome: "client_left" as const },
    { endedAt: midnight - 1 },
  ]) {
    pending.add(call(different));
  }
  assert.equal(pending.calls, 6);
  const { calls, counters } = pending.take();
  assert.equal(calls, 6);
  assert.deepEqual(
    counters.map(({ team, day, endpoint, outcome, calls }) => [team, day, endpoint, outcome, calls]),
    [
      ["ants", "2026-11-22", "/verify", "ok", 2],
      ["bees", "2026-11-22", "/verify", "ok", 1],
      ["ants", "2026-11-22", "/compare", "ok", 1],
      ["ants", "2026-11-22", "/verify", "client_left", 1],
      ["ants", "2026-11-21", "/verify", "ok", 1],
    ],
  );
  assert.deepEqual([pending.calls, pending.take()], [0, { calls: 0, counters: [] }]);
});

test("above the bound further counters are refused and their calls counted as lost; known ones go on", () => {
  const pending = new PendingUsage({ countersMax: 2 });
  for (const team of ["ants", "bees", "cats", "dogs", "ants"]) pending.add(call({ team }));
  assert.deepEqual([pending.calls, pending.lostCalls], [3, 2]);
  assert.deepEqual(
    pending.take().counters.map(({ team, calls }) => [team, calls]),
    [
      ["ants", 2],
      ["bees", 1],
    ],
  );
  pending.add(call({ team: "cats" }));
  assert.deepEqual([pending.calls, pending.lostCalls], [1, 2]);
});

test("of a code the newest calls are kept, so that a flood of one code hides no other", () => {
  const pending = new PendingUsage({ countersMax: 100 });
  pending.add(call({ outcome: "invalid_image", requestId: "rare" }));
  for (let i = 0; i < 10_000; i++) pending.add(call({ outcome: "rate_limited", requestId: `call-${i}` }));
  const [rare, flood] = pending.take().counters;
  assert.deepEqual(rare!.errors, [{ at: midnight, endpoint: "/verify", requestId: "rare" }]);
  assert.equal(flood!.calls, 10_000);
  assert.deepEqual(
    flood!.errors.map(({ requestId }) => requestId),
    Array.from({ length: recentErrorsMax }, (_, i) => `call-${10_000 - recentErrorsMax + i}`),
  );
});

test("of all teams together a bounded number of errors waits, and all of them are counted", () => {
  const pending = new PendingUsage({ countersMax: 10_000 });
  for (let i = 0; i < 5_000; i++) pending.add(call({ team: `team-${i}`, outcome: "queue_full" }));
  const { calls, counters } = pending.take();
  assert.equal(calls, 5_000);
  assert.equal(counters.flatMap(({ errors }) => errors).length, 2_000);
  pending.add(call({ outcome: "queue_full" }));
  assert.equal(pending.take().counters[0]!.errors.length, 1);
});

test("an error has the id of the key that its call came with, where there is one", () => {
  const pending = new PendingUsage({ countersMax: 100 });
  pending.add(call({ outcome: "key_disabled", keyId: "key-1" }));
  pending.add(call({ outcome: "key_disabled" }));
  const [counter] = pending.take().counters;
  assert.deepEqual(counter!.errors, [
    { at: midnight, endpoint: "/verify", requestId: "a", keyId: "key-1" },
    { at: midnight, endpoint: "/verify", requestId: "a" },
  ]);
});

test("of visitors and callers without a key no request id is kept, and of answered calls neither", () => {
  const pending = new PendingUsage({ countersMax: 100 });
  pending.add(call({ team: "~visitors", outcome: "no_face_detected" }));
  pending.add(call({ team: "~keyless", outcome: "missing_api_key" }));
  pending.add(call({ outcome: "ok" }));
  pending.add(call({ outcome: "client_left" }));
  assert.deepEqual(
    pending.take().counters.map(({ calls, errors }) => [calls, errors.length]),
    [
      [1, 0],
      [1, 0],
      [1, 0],
      [1, 0],
    ],
  );
});

const call = (different: Partial<CountedCall>): CountedCall => ({
  team: "ants",
  endpoint: "/verify",
  outcome: "ok",
  endedAt: midnight,
  requestId: "a",
  ...different,
});
