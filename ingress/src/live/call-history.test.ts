// Covers ingress-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { ApiError } from "../call/api-error.ts";
import type { EndedCall } from "../call/ports.ts";
import { CallHistory } from "./call-history.ts";
import { liveIngress } from "./ingress-state.ts";

test("calls are counted by how they ended; what a client did wrong is no failure", () => {
  const history = new CallHistory();
  for (let i = 0; i < 3; i++) history.add(ended({}));
  history.add(ended({ status: 503, error: "queue_full" }));
  history.add(ended({ status: 502, error: "upstream_failed" }));
  history.add(ended({ status: 400, error: "no_face_detected" }));
  history.add(ended({ status: undefined, error: "upstream_timeout" }));
  const { outcomes, answered, refused, failed } = history.read(2_000);
  assert.deepEqual(
    outcomes.map(({ outcome, kind, count }) => [outcome, kind, count.all]),
    [
      ["ok", "answered", 3],
      ["queue_full", "refused", 1],
      ["upstream_failed", "failed", 1],
      ["no_face_detected", "invalid", 1],
      ["client_left", "client_left", 1],
    ],
  );
  assert.deepEqual([answered.at(-1), refused.at(-1), failed.at(-1)], [3, 1, 1]);
  assert.equal(outcomes[3]!.words, errorTable.no_face_detected.when.replaceAll("`", ""));
});

test("the parts of the time are means over the answered calls of the last minute", () => {
  const history = new CallHistory();
  history.add(ended({ parts: { queue: 10, run: 40, total: 50 } }));
  history.add(ended({ parts: { queue: 30, run: 40, total: 70 } }));
  history.add(ended({ status: 503, error: "queue_timeout", parts: { queue: 9_000, total: 9_000 } }));
  const { parts, partsCalls, totalMs } = history.read(4_000);
  assert.equal(partsCalls, 2);
  assert.deepEqual(
    parts.filter(({ ms }) => ms > 0),
    [
      { part: "queue", ms: 20 },
      { part: "run", ms: 40 },
    ],
  );
  assert.deepEqual(totalMs, { p50: 50, p99: 50 });
  assert.equal(history.read(100_000).partsCalls, 0);
});

test("a pool that has published nothing lately is shown as absent", () => {
  const lane = { lane: "Dlib/ssd", waiting: 4, workers: 2, expectedWaitMs: 35 };
  const live = liveIngress(new CallHistory(), {
    now: 0,
    active: 1,
    connections: 2,
    bodyBytes: 3,
    imageBytes: 4,
    pools: [{ pool: "gpu", lanes: [{ ...lane, batchMax: 8 }] } as unknown as PoolState],
    settings: {
      BODIES_IN_FLIGHT_BYTES_MAX: 10,
      IMAGES_IN_FLIGHT_BYTES_MAX: 20,
      CONNECTIONS_MAX: 30,
      POOLS: ["default", "gpu"],
    },
  });
  assert.deepEqual(live.pools, [
    { pool: "default", lanes: null },
    { pool: "gpu", lanes: [lane] },
  ]);
  assert.deepEqual(
    live.limits.map(({ used, max }) => [used, max]),
    [
      [3, 10],
      [4, 20],
      [2, 30],
    ],
  );
});

function ended({ error, parts = { total: 50 }, ...given }: Ending): EndedCall {
  return {
    record: { error: error === undefined ? undefined : new ApiError(error, "") },
    endedAt: 1_000,
    parts,
    status: "status" in given ? given.status : 200,
  } as unknown as EndedCall;
}

type Ending = {
  /** Undefined: the client has left. */
  status?: number | undefined;
  error?: ConstructorParameters<typeof ApiError>[0];
  parts?: Partial<EndedCall["parts"]>;
};
