import assert from "node:assert/strict";
import test from "node:test";
import type { FinishedSpan } from "@faceline/contracts/trace/span";
import { type Tracing, tracingOff } from "@faceline/runtime/tracing/tracing";
import { answered, call, newPool, passTime, report } from "../testing/fixtures.ts";
import { BatchSpans } from "./batch-spans.ts";
import { decide } from "./scheduling/decide.ts";
import type { Dispatch, Event, Move, State } from "./scheduling/state/state.ts";

test("a batch of two calls links to both, and the wait of each to the batch", () => {
  const { pool, spans, exported } = openSpans();
  decide(pool, report("w1"), 0);
  const dispatch = dispatchOf([...decide(pool, call("a", 1, { now: 0 }), 1)]);
  const sent = spans.send(dispatch);
  assert.match(sent.traceparent!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const end = { kind: "answered", finished: { ...answered(sent), endedAt: 40 } } as const;
  spans.acknowledge(sent.id, 4);
  spans.end(sent.id, end, 50);
  const [queue, root, message] = exported;
  assert.deepEqual([queue!.name, queue!.startAt, queue!.endAt], ["process faceline.tasks.default", 1, 1]);
  assert.deepEqual([message!.kind, message!.startAt, message!.endAt], ["producer", 1, 4]);
  assert.equal(message!.parentId, root!.context.spanId);
  assert.ok(sent.traceparent!.includes(message!.context.spanId), "the worker's span is below the message's");
  assert.deepEqual(queue!.links, [root!.context]);
  assert.deepEqual(
    root!.links!.map(({ spanId }) => spanId),
    ["2".repeat(16)],
  );
  assert.equal(queue!.parentId, "2".repeat(16));
  assert.deepEqual([root!.parentId, root!.startAt, root!.endAt], [undefined, 1, 50]);
  assert.equal(root!.attributes["faceline.batch.end_ms"], 39);
});

test("a batch without a sampled task is not traced, and nothing is without an endpoint", () => {
  const { pool, spans, exported } = openSpans();
  const off = new BatchSpans(tracingOff, "default");
  decide(pool, report("w1"), 0);
  const event = call("a", 1, { now: 0 });
  const dispatch = dispatchOf(decide(pool, event, 1));
  assert.equal(off.send(dispatch), dispatch.batch);
  const tasks = dispatch.batch.tasks.map((task) => ({
    ...task,
    traceparent: task.traceparent.replace(/01$/, "00"),
  }));
  const unsampled = { ...dispatch, batch: { ...dispatch.batch, tasks } };
  assert.equal(spans.send(unsampled), unsampled.batch);
  spans.end(dispatch.batch.id, { kind: "lost" }, 9);
  assert.deepEqual(exported, []);
});

test("a batch links to those of its tasks that are traced, and the others add nothing to its spans", () => {
  const { pool, spans, exported } = openSpans();
  decide(pool, report("w1"), 0);
  const dispatch = dispatchOf(decide(pool, call("a", 4, { now: 0 }), 1));
  const unsampled = (traceparent: string) => traceparent.replace(/01$/, "00");
  const tasks = dispatch.batch.tasks.map((task, index) =>
    index === 0 ? task : { ...task, traceparent: unsampled(task.traceparent) },
  );
  spans.send({ ...dispatch, batch: { ...dispatch.batch, tasks } });
  spans.end(dispatch.batch.id, { kind: "lost" }, 9);
  assert.deepEqual(
    exported.map(({ name, links = [] }) => [name, links.length]),
    [
      ["process faceline.tasks.default", 1],
      ["batch", 1],
      ["send faceline.batches.default", 0],
      ["lost attempt", 1],
    ],
  );
  assert.equal(exported[1]!.attributes["faceline.batch.size"], 4);
});

test("a lost batch is an error, with a span of the lost time in each call", () => {
  const { pool, spans, exported } = openSpans();
  const act = (moves: Move[], now: number) => {
    for (const move of moves) {
      if (move.kind === "dispatch") spans.send(move);
      if (move.kind === "batch_ended") spans.end(move.sent.id, move.end, now);
    }
  };
  const step = (event: Event, now: number) => act(decide(pool, event, now), now);
  step(report("w1"), 0);
  step(call("a", 1, { now: 0 }), 0);
  act(passTime(pool, 0, 1_100), 1_100);
  const [, root, message, lost] = exported;
  assert.equal(message!.error, undefined, "Kafka had the message");
  assert.deepEqual([root!.error, lost!.error], ["the batch was lost", "the batch was lost"]);
  assert.deepEqual(
    [lost!.name, lost!.parentId, lost!.links],
    ["lost attempt", "2".repeat(16), [root!.context]],
  );
});

test("a call that is shed says why on the span of its wait", () => {
  const { pool, spans, exported } = openSpans();
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  const moves = decide(pool, call("late", 1, { now: 0, deadlineAt: 100 }), 5);
  spans.answer(
    moves.filter((move) => move.kind === "answer"),
    6,
  );
  assert.deepEqual(
    exported.map(({ name, error }) => [name, error]),
    [["process faceline.tasks.default", "shed: deadline_infeasible"]],
  );
});

test("batches that another batcher has taken over have ended here", () => {
  const { pool, spans, exported } = openSpans();
  decide(pool, report("w1"), 0);
  spans.send(dispatchOf(decide(pool, call("a", 1, { now: 0 }), 1)));
  spans.endAll(7);
  spans.endAll(8);
  assert.deepEqual(
    exported.map(({ attributes, endAt }) => [attributes["faceline.batch.end"], endAt]).slice(1, 2),
    [["handed_over", 7]],
  );
});

function openSpans(): { pool: State; spans: BatchSpans; exported: FinishedSpan[] } {
  const exported: FinishedSpan[] = [];
  const tracing: Tracing = { ...tracingOff, on: true, export: (spans) => void exported.push(...spans) };
  return { pool: newPool(), spans: new BatchSpans(tracing, "default"), exported };
}

const dispatchOf = (moves: Move[]): Dispatch => moves.find((move) => move.kind === "dispatch")!;
