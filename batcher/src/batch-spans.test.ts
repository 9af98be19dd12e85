import assert from "node:assert/strict";
import test from "node:test";
import { SpanKind } from "@opentelemetry/api";
import { recordSpans, timesSince } from "@faceline/runtime/testing/recorded-spans";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import { answered, call, newPool, passTime, report } from "../testing/fixtures.ts";
import { BatchSpans } from "./batch-spans.ts";
import { decide } from "./scheduling/decide.ts";
import type { Dispatch, Event, Move } from "./scheduling/state/state.ts";

test("a batch links to its calls, and the wait of each to the batch", () => {
  const { pool, spans, ended } = openSpans();
  const from = 1_800_000_000_000;
  decide(pool, report("w1", { sentAt: from }), from);
  const dispatch = dispatchOf(decide(pool, call("a", 1, { now: from }), from + 1));
  const sent = spans.send(dispatch);
  assert.match(sent.traceparent!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  spans.acknowledge(sent.id, from + 4);
  spans.end(sent.id, { kind: "answered", finished: { ...answered(sent), endedAt: from + 40 } }, from + 50);
  const [wait, message, root] = ended;
  assert.deepEqual([wait!.name, timesSince(from, wait!)], ["process faceline.tasks.default", [1, 1]]);
  assert.deepEqual([message!.kind, timesSince(from, message!)], [SpanKind.PRODUCER, [1, 4]]);
  assert.equal(message!.parentSpanContext?.spanId, root!.spanContext().spanId);
  const { spanId } = message!.spanContext();
  assert.ok(sent.traceparent!.includes(spanId), "the worker's span is below the message's");
  assert.deepEqual(wait!.links[0]?.context, root!.spanContext());
  assert.deepEqual(
    root!.links.map(({ context }) => context.spanId),
    ["2".repeat(16)],
  );
  assert.equal(wait!.parentSpanContext?.spanId, "2".repeat(16));
  assert.deepEqual([root!.parentSpanContext, timesSince(from, root!)], [undefined, [1, 50]]);
  assert.equal(root!.attributes["faceline.batch.end_ms"], 39);
});

test("a batch without a sampled task is not traced, and nothing is without an endpoint", () => {
  const { pool, spans, ended } = openSpans();
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
  assert.deepEqual(ended, []);
});

test("a batch links to those of its tasks that are traced, and the others add nothing to its spans", () => {
  const { pool, spans, ended } = openSpans();
  decide(pool, report("w1"), 0);
  const dispatch = dispatchOf(decide(pool, call("a", 4, { now: 0 }), 1));
  const unsampled = (traceparent: string) => traceparent.replace(/01$/, "00");
  const tasks = dispatch.batch.tasks.map((task, index) =>
    index === 0 ? task : { ...task, traceparent: unsampled(task.traceparent) },
  );
  spans.send({ ...dispatch, batch: { ...dispatch.batch, tasks } });
  spans.end(dispatch.batch.id, { kind: "lost" }, 9);
  assert.deepEqual(
    ended.map(({ name, links }) => [name, links.length]),
    [
      ["process faceline.tasks.default", 1],
      ["send faceline.batches.default", 0],
      ["batch", 1],
      ["lost attempt", 1],
    ],
  );
  assert.equal(ended[2]!.attributes["faceline.batch.size"], 4);
});

test("a lost batch is an error, with a span of the lost time in each call", () => {
  const { pool, spans, ended } = openSpans();
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
  const [, message, root, lost] = ended;
  assert.equal(message!.status.message, undefined, "Kafka had the message");
  assert.deepEqual(
    [root!.status.message, lost!.status.message],
    ["the batch was lost", "the batch was lost"],
  );
  assert.deepEqual([lost!.name, lost!.parentSpanContext?.spanId], ["lost attempt", "2".repeat(16)]);
  assert.deepEqual(lost!.links[0]?.context, root!.spanContext());
});

test("a call that is shed says why on the span of its wait", () => {
  const { pool, spans, ended } = openSpans();
  decide(pool, report("w1", { sizes: [{ size: 1, runMs: 500 }] }), 0);
  const moves = decide(pool, call("late", 1, { now: 0, deadlineAt: 100 }), 5);
  spans.answer(
    moves.filter((move) => move.kind === "answer"),
    6,
  );
  assert.deepEqual(
    ended.map(({ name, status }) => [name, status.message]),
    [["process faceline.tasks.default", "shed: deadline_infeasible"]],
  );
});

test("batches that another batcher has taken over have ended here", () => {
  const { pool, spans, ended } = openSpans();
  decide(pool, report("w1"), 0);
  spans.send(dispatchOf(decide(pool, call("a", 1, { now: 0 }), 1)));
  spans.endAll(7);
  spans.endAll(8);
  const ends = ended.filter(({ name }) => name === "batch").map(({ attributes }) => attributes);
  assert.deepEqual(
    ends.map((attributes) => attributes["faceline.batch.end"]),
    ["handed_over"],
  );
});

function openSpans() {
  const { start, ended } = recordSpans();
  return { pool: newPool(), spans: new BatchSpans({ start }, "default"), ended };
}

const dispatchOf = (moves: Move[]): Dispatch => moves.find((move) => move.kind === "dispatch")!;
