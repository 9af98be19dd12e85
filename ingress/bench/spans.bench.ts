import { RequestId } from "@faceline/contracts/http/reply-fields";
import { newSpanId } from "@faceline/contracts/runtime/random";
import { serveSpanRounds, type TracedCall } from "@faceline/contracts/testing/span-rounds";
import { LaneId } from "@faceline/contracts/wire/ids";
import { noWait } from "@faceline/contracts/wire/timing";
import { callSpans } from "../src/call/call-spans.ts";
import { CallRecord } from "../src/call/record.ts";
import { facesAnswer } from "../testing/server.ts";

// The spans of an ingress. `npm run bench -- --only telemetry-spans` starts this.

let now = Date.now();
const clock = () => (now += 0.37);
const timing = {
  ...noWait,
  attempts: 1,
  hopMs: 3.21,
  queueMs: 41.77,
  holdMs: 1.07,
  prepareMs: 6.13,
  runMs: 104.02,
  answerMs: 0.83,
  publishedAt: now,
};

await serveSpanRounds("ingress", (tracing) => (calls) => {
  for (const ids of calls) {
    const record = recordOf(ids);
    const endedAt = clock();
    const ended = { record, endedAt, parts: record.parts(endedAt), status: 200 };
    if (tracing.on) tracing.export(callSpans(ended));
  }
});

/** A call of two images that was answered. */
function recordOf({ requestId, context }: TracedCall): CallRecord {
  const trace = { context, parentId: newSpanId() };
  const record = new CallRecord({
    requestId: RequestId.parse(requestId),
    route: "/verify",
    trace,
    now: clock,
  });
  record.deadlineMs = 30_000;
  record.pool = "default";
  record.lane = LaneId.parse("Dlib/ssd");
  record.images = 2;
  record.end("admission");
  for (const step of ["publish", "images", "send"] as const) record.begin(step);
  for (const step of ["images", "publish", "send"] as const) record.end(step);
  record.answered({ ...facesAnswer([1, 0]), timing });
  record.end("gather");
  return record;
}
