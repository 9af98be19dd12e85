import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestId } from "@faceline/contracts/http/reply-fields";
import { openLog } from "@faceline/contracts/runtime/log";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { type CallParts, findFaces } from "./calls.ts";
import type { FacesCall } from "./ports.ts";

test("who hangs up while tasks wait cancels them, and nothing of the call stays behind", async () => {
  const { parts, did, posted } = world();
  const hangUp = new AbortController();
  const found = findFaces(parts, call(hangUp.signal));
  await posted;
  assert.deepEqual(did, ["listen", "lay", "post"]);
  hangUp.abort();
  await assert.rejects(found, { code: "upstream_timeout" });
  assert.deepEqual(did, ["listen", "lay", "post", "cancel default", "take away", "unlisten"]);
});

test("who has hung up before is not waited for", async () => {
  const { parts, did } = world();
  await assert.rejects(findFaces(parts, call(AbortSignal.abort())), { code: "upstream_timeout" });
  assert.deepEqual(did.slice(-3), ["cancel default", "take away", "unlisten"]);
});

test("the deadline cancels likewise", async () => {
  const { parts, did } = world();
  await assert.rejects(findFaces(parts, { ...call(new AbortController().signal), deadlineAt: 1_051 }), {
    code: "upstream_timeout",
  });
  assert.deepEqual(did, ["listen", "lay", "post", "cancel default", "take away", "unlisten"]);
});

/** One pool, whose workers never answer. */
function world() {
  const did: string[] = [];
  const posted = Promise.withResolvers<void>();
  const undo = (what: string) => ({ [Symbol.dispose]: () => void did.push(what) });
  const never = new Promise<Answer[]>(() => {});
  const parts = {
    clock: { now: () => 1_001 },
    ingress: "ingress-0000000000000000",
    pools: {
      fresh: () => [idle],
    },
    answers: {
      listen() {
        did.push("listen");
        return { answers: never, ...undo("unlisten") };
      },
    },
    images: {
      async lay() {
        did.push("lay");
        return undo("take away");
      },
    },
    tasks: {
      async send() {
        did.push("post");
        posted.resolve();
      },
    },
    cancels: {
      async send(pool: string) {
        did.push(`cancel ${pool}`);
      },
    },
    log: openLog("test", "silent"),
  } as unknown as CallParts;
  return { parts, did, posted: posted.promise };
}

const idle = {
  pool: "default",
  lanes: [{ lane: "Dlib/ssd", workers: 1, waiting: 0, expectedWaitMs: 5, expectedRunMs: 5 }],
} as unknown as PoolState;

const call = (signal: AbortSignal): FacesCall => ({
  requestId: "a" as RequestId,
  tenant: "ants",
  lane: "Dlib/ssd" as LaneId,
  options: { align: true, enforceDetection: true, facesMax: 1, fullResolution: false },
  images: [Buffer.from("picture")],
  arrivedAt: 1_000,
  deadlineAt: 31_000,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
  signal,
});
