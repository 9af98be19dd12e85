// Covers ingress-state.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import type { HealthResponse } from "@faceline/contracts/http/health";
import { ApiError } from "../call/api-error.ts";
import type { EndedCall } from "../call/ports.ts";
import { CallHistory } from "./call-history.ts";
import { liveIngress } from "./ingress-state.ts";

test("calls are counted by how they ended; what a client did wrong is no failure", () => {
  const { add, live } = open();
  for (let i = 0; i < 3; i++) add({});
  add({ status: 503, error: "queue_full" });
  add({ status: 502, error: "upstream_failed" });
  add({ status: 400, error: "no_face_detected" });
  add({ status: undefined, error: "upstream_timeout" });
  const { tables, status } = live();
  assert.deepEqual(
    tables["outcomes"]!.map(({ outcome, past10s, past5min }) => [outcome, past10s, past5min]),
    [
      ["ok", 3, 3],
      ["client_left", 1, 1],
      ["no_face_detected", 1, 1],
      ["upstream_failed", 1, 1],
      ["queue_full", 1, 1],
    ],
  );
  const { answered, refused, failed } = tables["lastMinutes"]![0]!;
  assert.deepEqual([answered, refused, failed], [3, 1, 1]);
  assert.match(
    `${status.title}: ${status.detail}`,
    /^Requests fail: 0\.1 per second; most of them upstream_failed: /,
  );
  assert.equal(tables["outcomes"]![2]!["meaning"], errorTable.no_face_detected.when.replaceAll("`", ""));
});

test("times are means of the answered calls", () => {
  const { add, live } = open();
  add({ parts: { queue: 10, run: 40, total: 50 } });
  add({ parts: { queue: 30, run: 40, total: 70 } });
  add({ status: 503, error: "queue_timeout", parts: { queue: 9_000, total: 9_000 } });
  const { facts, tables } = live();
  assert.deepEqual(
    tables["timeOfAnsweredRequests"]!.map(({ part, meanMs }) => [part, meanMs]),
    [
      ["queue", 20],
      ["run", 40],
    ],
  );
  assert.deepEqual([facts["medianMs"], tables["lastMinutes"]![0]!["meanMs"]], [50, 60]);
});

test("the busiest callers are those with most requests or bytes, and the status names whom it refuses most", () => {
  const { add, live } = open();
  for (let team = 0; team < 30; team++) {
    for (let i = 0; i < 10 + team; i++) add({ tenant: `t${team}` });
  }
  for (let i = 0; i < 9; i++) add({ tenant: "loud", status: 429, error: "rate_limited" });
  add({ tenant: "~visitors", imageSizes: [{ bytes: 5_000_000, pixels: 1 }] });
  const { status, tables } = live();
  assert.deepEqual(
    tables["busiestCallers"]!.map(({ caller }) => caller),
    ["visitors of the tester", ...Array.from({ length: 9 }, (_, i) => `t${29 - i}`)],
  );
  assert.equal(status.title, "Requests are refused");
  for (let i = 0; i < 99; i++) add({ tenant: "loud", status: 429, error: "rate_limited" });
  const [visitors, loud] = live().tables["busiestCallers"]!;
  assert.deepEqual([visitors!["refusedPast5min"], loud!["refusedPast10s"]], [0, 108]);
  assert.match(live().status.detail, /most of them rate_limited: .* Most refused: loud \(100%\)\.$/);
});

test("lanes and the reason of an ingress that cannot serve are those of /health", () => {
  const { live } = open();
  const lane = { workers: 2, waiting: 4, expected_wait_ms: 35 };
  const served = live({ pools: { default: { "SFace/auto": lane } } });
  assert.deepEqual(served.tables["lanes"], [
    { lane: "SFace/auto", pool: "default", workers: 2, waiting: 4, expectedWaitMs: 35 },
  ]);
  assert.equal(served.status.title, "Idle");
  assert.equal(live({ pools: {} }).status.title, "A pool is away");
  const withoutWorkers = { default: { "SFace/auto": { ...lane, workers: 0 } } };
  assert.equal(live({ pools: withoutWorkers }).status.title, "No worker");
  const refusal = { error: "dependency_unavailable", detail: "Kafka does not take work." } as const;
  const { status } = live({ refusal });
  assert.deepEqual(status, { level: "problem", title: "Not ready", detail: "Kafka does not take work." });
});

function open() {
  const history = new CallHistory();
  return {
    add: ({ error, tenant = "ants", imageSizes = [], parts = { total: 50 }, ...given }: Ending) =>
      history.add({
        record: { error: error === undefined ? undefined : new ApiError(error, ""), tenant, imageSizes },
        endedAt: 1_000,
        parts,
        status: "status" in given ? given.status : 200,
      } as unknown as EndedCall),
    live: ({ pools = { default: {} }, refusal }: Health = {}) =>
      liveIngress(history, {
        now: 6_000,
        active: 1,
        connections: 2,
        bodyBytes: 3,
        imageBytes: 4,
        health: { checks: { pools }, ...(refusal && { refusal }) } as HealthResponse,
        pools: ["default"],
      }),
  };
}

type Ending = {
  /** Undefined: the client has left. */
  status?: number | undefined;
  error?: ConstructorParameters<typeof ApiError>[0];
  tenant?: string;
  imageSizes?: { bytes: number; pixels: number }[];
  parts?: Partial<EndedCall["parts"]>;
};
type Health = {
  pools?: HealthResponse["checks"]["pools"];
  refusal?: NonNullable<HealthResponse["refusal"]>;
};
