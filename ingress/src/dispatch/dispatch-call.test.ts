import assert from "node:assert/strict";
import test, { mock } from "node:test";
import type { RequestId } from "@faceline/contracts/http/response-fields";
import { coreWaits } from "@faceline/runtime/starvation";
import type { Answer } from "@faceline/contracts/wire/answer";
import type { Cancel } from "@faceline/contracts/wire/cancel";
import type { LaneId, TaskId } from "@faceline/contracts/wire/ids";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { answerWith, testRecord } from "../../testing/server.ts";
import { SendFailed } from "../task-outbox.ts";
import type { DispatchedCall } from "../call/ports.ts";
import { CallMemory } from "../memory/call-memory.ts";
import { SlabPool } from "../memory/slab-pool.ts";
import { type DispatchParts, dispatchCall } from "./dispatch-call.ts";

// Whatever load the machine of the tests has.
mock.method(coreWaits, "mainThread", () => new Map());

/** Steps of a call that is cancelled after its tasks were sent. */
const cancelledSteps = [
  "subscribe",
  "publish images",
  "send tasks",
  "cancel default",
  "remove images",
  "unsubscribe",
];

test("a client that disconnects while tasks wait cancels them, and everything of the call is removed", async () => {
  const { parts, steps, sent } = idlePool();
  const client = new AbortController();
  const answers = dispatchCall(parts, call(client.signal));
  await sent;
  assert.deepEqual(steps, ["subscribe", "publish images", "send tasks"]);
  client.abort();
  await assert.rejects(answers, { code: "upstream_timeout" });
  assert.deepEqual(steps, cancelledSteps);
});

test("a call of a client that has disconnected before is cancelled at once", async () => {
  const { parts, steps } = idlePool();
  await assert.rejects(dispatchCall(parts, call(AbortSignal.abort())), { code: "upstream_timeout" });
  assert.deepEqual(steps.slice(-3), ["cancel default", "remove images", "unsubscribe"]);
});

test("a call at its deadline is cancelled", async () => {
  const { parts, steps } = idlePool();
  await assert.rejects(dispatchCall(parts, { ...call(new AbortController().signal), deadlineAt: 1_051 }), {
    code: "upstream_timeout",
  });
  assert.deepEqual(steps, cancelledSteps);
});

test("a call at its deadline blames the load where this process had no core for a quarter of the time", async (t) => {
  t.mock.method(coreWaits, "mainThread", () => new Map([["main", performance.now() / 2]]));
  const { parts } = idlePool();
  await assert.rejects(dispatchCall(parts, { ...call(new AbortController().signal), deadlineAt: 1_051 }), {
    code: "queue_full",
    details: { retryAfterMs: 4_000, shed: "cpu_starved" },
  });
});

test("where a send fails, the client learns that it may try again, the log why, and the tasks are cancelled", async () => {
  const { parts, steps } = idlePool();
  parts.tasks.send = () => Promise.reject(new Error("no broker answers"));
  const unsent = call(new AbortController().signal);
  await assert.rejects(dispatchCall(parts, unsent), { code: "dependency_unavailable" });
  assert.equal(unsent.record.cause, "tasks could not be sent: no broker answers");
  // Kafka may have them although it did not say so in time.
  assert.deepEqual(steps, ["subscribe", "publish images", "cancel default", "remove images", "unsubscribe"]);
});

test("where a send fails in a process without CPU, the client learns of load and when to come back", async () => {
  const { parts } = idlePool();
  parts.tasks.send = () => Promise.reject(new SendFailed("Kafka took longer than 1000 ms", true));
  await assert.rejects(dispatchCall(parts, call(new AbortController().signal)), {
    code: "queue_full",
    details: { retryAfterMs: 4_000, shed: "cpu_starved" },
  });
});

test("a call whose first task failed ends at once, and its other tasks are cancelled", async () => {
  const { parts, steps } = idlePool([answerWith({ kind: "failed", reason: "run_failed" })]);
  const images = [Buffer.from("image"), Buffer.from("image")];
  const failed = dispatchCall(parts, { ...call(new AbortController().signal), images });
  await assert.rejects(failed, { code: "upstream_failed" });
  assert.deepEqual(steps.slice(-3), ["cancel default", "remove images", "unsubscribe"]);
});

test("the tasks of a call count as sent to its pool, until the pool's next state has them", async () => {
  const { parts, counted, sent } = idlePool();
  const client = new AbortController();
  const images = [Buffer.from("image"), Buffer.from("image")];
  const answers = dispatchCall(parts, { ...call(client.signal), images });
  await sent;
  assert.deepEqual(counted, [["default", "SFace/auto", 2]]);
  client.abort();
  await assert.rejects(answers);
});

test("a call that waits for its answers has no images in memory any more", async () => {
  const { parts, sent } = idlePool();
  const client = new AbortController();
  const waiting = call(client.signal);
  const pool = new SlabPool();
  waiting.memory.keep(pool.take(1));
  const answers = dispatchCall(parts, waiting);
  await sent;
  assert.ok(pool.idleBytes > 0);
  client.abort();
  await assert.rejects(answers);
});

test("a pool with a Redis of its own gets the instants of its clock, and those of its answers are set back", async () => {
  const given = answerWith({ kind: "failed", reason: "run_failed" });
  const timing = { ...given.timing, publishedAt: 3_601_010 };
  const { parts, server, messages } = idlePool([{ ...given, timing }]);
  server.clock = { now: () => 3_601_001 };
  const failed = call(new AbortController().signal);
  await assert.rejects(dispatchCall(parts, failed), { code: "upstream_failed" });
  const [{ arrivedAt, sentAt, deadlineAt }] = messages as [CallTasks];
  assert.deepEqual(
    { arrivedAt, sentAt, deadlineAt },
    { arrivedAt: 3_601_000, sentAt: 3_601_001, deadlineAt: 3_631_000 },
  );
  assert.equal(failed.record.timing?.publishedAt, 1_010);
});

/** One pool whose workers give these answers and no other; `steps` records what happened. */
function idlePool(given: Answer[] = []) {
  const steps: string[] = [];
  const counted: unknown[] = [];
  const messages: CallTasks[] = [];
  const sent = Promise.withResolvers<void>();
  const undo = (step: string) => ({ [Symbol.dispose]: () => void steps.push(step) });
  const never = new Promise<Answer>(() => {});
  const clock = { now: () => 1_001 };
  const server = {
    clock,
    states: { countSent: (pool: string, lane: string, tasks: number) => counted.push([pool, lane, tasks]) },
    answers: {
      subscribe(tasks: TaskId[]) {
        steps.push("subscribe");
        const answers = tasks.map((_, i) => (i < given.length ? Promise.resolve(given[i]!) : never));
        return { answers, ...undo("unsubscribe") };
      },
    },
    images: {
      async publish() {
        steps.push("publish images");
        return undo("remove images");
      },
    },
    cancels: {
      send(pool: string, { call: id }: Cancel, tasks: readonly TaskId[]) {
        assert.ok(tasks.length > 0 && tasks.every((task) => task.startsWith(id)));
        steps.push(`cancel ${pool}`);
      },
    },
  };
  const parts = {
    clock,
    ingress: "ingress-0000000000000000",
    random: () => 0,
    ownState: () => ({ isServing: true, kafka: true, redis: true, hasTopics: true }),
    pools: { fresh: () => [{ state: idle, sentTasks: () => 0, takeoverMs: 0 }], serverOf: () => server },
    tasks: {
      async send(_pool: string, message: CallTasks) {
        messages.push(message);
        steps.push("send tasks");
        sent.resolve();
      },
    },
  } as unknown as DispatchParts;
  return { parts, server, steps, counted, messages, sent: sent.promise };
}

const idle = {
  pool: "default",
  lanes: [{ lane: "SFace/auto", workers: 1, waiting: 0, expectedWaitMs: 5, expectedRunMs: 5, taskMs: 5 }],
} as unknown as PoolState;

const call = (signal: AbortSignal): DispatchedCall => ({
  requestId: "a" as RequestId,
  tenant: "ants",
  lane: "SFace/auto" as LaneId,
  options: { align: true, enforceDetection: true, facesMax: 1, fullResolution: false },
  images: [Buffer.from("image")],
  memory: new CallMemory(),
  costs: [1],
  arrivedAt: 1_000,
  deadlineAt: 31_000,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
  signal,
  record: testRecord(() => 1_001),
});
