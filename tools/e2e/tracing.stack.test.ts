import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test, { type TestContext } from "node:test";
import { attributes } from "@faceline/contracts/trace/attributes";
import { assertSpanConventions } from "@faceline/testing/conventions";
import { portraits } from "@faceline/testing/faces";
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from "@faceline/testing/otlp-receiver";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack, type TestStack } from "./stack/stack.ts";

const clientSpan = "00f067aa0ba902b7";
const [first, second] = (await portraits()).map((each) => each.toString("base64"));
const verifyBody = { img1: first, img2: second };

test("a call is one tree of spans over three processes, with every image's own", async (t) => {
  const { running, receiver } = await startTraced(t, { workers: 1 });
  const spans = await servedAtOnce(receiver, { tasks: 2 }, async () => {
    const traceId = randomBytes(16).toString("hex");
    const headers = { traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: "vendor=1" };
    const response = await running.postOnce("/verify", verifyBody, headers);
    if (response.status === 200)
      assert.match(response.headers.get("server-timing")!, new RegExp(`traceparent;desc="00-${traceId}`));
    return response;
  });
  assert.deepEqual(treeOf(spans, clientSpan), verifyTree(running.pool));
  assert.ok(spans.every(({ tracestate }) => tracestate === "vendor=1"));
  const root = spans.find(({ parentId }) => parentId === clientSpan)!;
  assert.equal(root.kind, 2);
  const { "faceline.time.total_ms": total, "http.response.status_code": status } = root.attributes;
  assert.equal(status, 200);
  assert.equal(sumOfParts(root.attributes).toFixed(6), Number(total).toFixed(6));

  const body = { img: first, candidates: Array.from({ length: 10 }, (_, i) => (i % 2 ? first : second)) };
  const compareSpans = await servedAtOnce(receiver, { tasks: 11 }, () => running.postOnce("/compare", body));
  const indices = compareSpans.filter(({ name }) => name === "infer").map(indexOf);
  assert.deepEqual(
    indices.toSorted((a, b) => a - b),
    Array.from({ length: 11 }, (_, i) => i),
  );
  assertAttributesAreListed(receiver.spans);
  await waitUntil("the batches have ended", async () => !edgesOf(receiver.spans).includes(undefined));
  for (const span of receiver.spans) assertSpanConventions(span);
  const edges = ["faceline-batcher → faceline-inference", "faceline-ingress → faceline-batcher"];
  assert.deepEqual(edgesOf(receiver.spans), edges);
});

test("a batch of tasks of several calls links to each of them, and each of them to it", async (t) => {
  const settings = { ENGINE: "model:900+1b", BATCH_MAX: "8" };
  const { running, receiver } = await startTraced(t, { workers: 2, settings });
  const represent = () => running.post("/represent", { img: first });

  const isShared = ({ name, links, attributes }: ReceivedSpan) =>
    name === "batch" && links.length > 2 && attributes["faceline.batch.end"] === "answered";
  const responses: Awaited<ReturnType<typeof represent>>[] = [];
  await waitUntil("a batch of several tasks has ended", async () => {
    // The workers are busy with the first ones while the others arrive.
    responses.push(...(await Promise.all(Array.from({ length: 10 }, () => represent()))));
    return receiver.spans.some(isShared);
  });
  // Where clocks disagree or a process had no core, single calls have a gap.
  const gaps = responses.map(({ headers }) => gapOf(headers.get("server-timing")!)).toSorted((a, b) => a - b);
  assert.ok(gaps[gaps.length >> 1]! < 0.02, `calls do not say where their time went: ${gaps.join()}`);
  const batch = receiver.spans.find(isShared)!;
  const size = batch.links.length;
  assert.deepEqual([batch.attributes["faceline.batch.size"], batch.parentId], [size, ""]);

  const traces = [];
  for (const { headers } of responses) {
    const trace = await wholeTrace(receiver, headers, { tasks: 1 });
    if (trace.some(({ spanId }) => batch.links.includes(spanId))) traces.push(trace);
  }
  assert.equal(traces.length, size);
  for (const trace of traces) {
    assert.ok(batch.links.includes(trace.find(({ name }) => name.startsWith("send "))!.spanId));
    for (const span of [...waits(trace), ...named(trace, "infer")]) {
      assert.equal(span.attributes["faceline.batch.id"], batch.attributes["faceline.batch.id"]);
    }
    assert.deepEqual(waits(trace)[0]!.links, [batch.spanId]);
  }
  const topic = `faceline.batches.${running.pool}`;
  const own = receiver.spans.filter(({ traceId }) => traceId === batch.traceId);
  const process: Tree = [`inference: process ${topic}`, [leaf("inference: prepare"), leaf("inference: run")]];
  assert.deepEqual(treeOf(own, ""), [["batcher: batch", [[`batcher: send ${topic}`, [process]]]]]);
  const { spanId } = named(own, `process ${topic}`)[0]!;
  const infers = traces.flatMap((trace) => named(trace, "infer"));
  assert.ok(infers.every(({ links }) => links[0] === spanId));
  assertAttributesAreListed(receiver.spans);
});

async function startTraced(t: TestContext, { workers, settings = {} }: TracedOptions): Promise<Traced> {
  const receiver = await openOtlpReceiver();
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    ...settings,
  };
  const starting = startStack(t, { workers, settings: traced });
  // Closed after the stack, which sends its last spans when it stops.
  const running = await starting.finally(() => t.after(() => receiver.close()));
  return { running, receiver };
}

/** Waits until a trace has arrived from all processes, and nothing of it is missing. */
async function wholeTrace(
  receiver: OtlpReceiver,
  headers: Headers,
  { tasks }: { tasks: number },
): Promise<ReceivedSpan[]> {
  const traceparent = headers.get("traceparent");
  const spans = () => receiver.traceOf(traceparent);
  const ids = () => new Set(spans().map(({ spanId }) => spanId));
  // A task has more than one where its batch was sent again.
  await waitUntil("the trace has arrived, and every span's parent but the first one's", () => {
    const isRoot = ({ name }: ReceivedSpan) => name.startsWith("POST ");
    const arrived = ids();
    const isWhole = spans().every((span) => isRoot(span) || arrived.has(span.parentId));
    const isRun = [named(spans(), "infer"), waits(spans())].every(({ length }) => length >= tasks);
    return isRun && spans().some(isRoot) && isWhole;
  });
  assert.equal(ids().size, spans().length, "no span came twice");
  for (const { name, startNs, endNs } of spans()) {
    assert.ok(endNs >= startNs && startNs > 0n, `${name} has ended`);
  }
  return spans();
}

/** Returns the trace of a call that was neither refused nor sent to a worker again, as on a busy machine. */
async function servedAtOnce(
  receiver: OtlpReceiver,
  { tasks }: { tasks: number },
  post: () => ReturnType<TestStack["postOnce"]>,
): Promise<ReceivedSpan[]> {
  let spans: ReceivedSpan[] = [];
  await waitUntil("a call is served at once", async () => {
    const { status, headers, body } = await post();
    if (status === 503) return false;
    assert.equal(status, 200, JSON.stringify(body));
    spans = await wholeTrace(receiver, headers, { tasks });
    return named(spans, "infer").length === tasks && named(spans, "lost attempt").length === 0;
  });
  return spans;
}

function assertAttributesAreListed(spans: ReceivedSpan[]): void {
  const names = new Set(spans.flatMap((span) => Object.keys(span.attributes)));
  assert.deepEqual(
    [...names].filter((name) => !(name in attributes)),
    [],
  );
}

/**
 * Services between which messages go, as service graphs find them: by producers and the consumers below.
 * Undefined: the producer of a message has not come.
 */
function edgesOf(spans: ReceivedSpan[]): (string | undefined)[] {
  const producers = new Map(spans.filter(({ kind }) => kind === 4).map((span) => [span.spanId, span]));
  const edges = spans
    .filter(({ kind }) => kind === 5)
    .map(({ service, parentId }) => {
      const producer = producers.get(parentId);
      return producer === undefined ? undefined : `${producer.service} → ${service}`;
    });
  return [...new Set(edges)].toSorted((a = "", b = "") => a.localeCompare(b));
}

/** The names of spans below a parent, each with the service and those below it, sorted. */
function treeOf(spans: ReceivedSpan[], parent: string): Tree[] {
  return spans
    .filter(({ parentId }) => parentId === parent)
    .map(({ service, name, spanId }): Tree => {
      return [`${service.replace("faceline-", "")}: ${name}`, treeOf(spans, spanId)];
    })
    .toSorted(([a], [b]) => a.localeCompare(b));
}

function verifyTree(pool: string): Tree[] {
  const run: Tree = [
    "inference: run",
    [leaf("inference: align"), leaf("inference: detect"), leaf("inference: embed")],
  ];
  const publish = leaf("inference: publish answers:{ingress}");
  const infer: Tree = ["inference: infer", [leaf("inference: prepare"), publish, run]];
  const wait = leaf(`batcher: process faceline.tasks.${pool}`);
  return [
    [
      "ingress: POST /verify",
      [
        leaf("ingress: gather"),
        leaf("ingress: PIPELINE SET"),
        [`ingress: send faceline.tasks.${pool}`, [wait, wait, infer, infer]],
        leaf("ingress: validate"),
      ],
    ],
  ];
}

function sumOfParts(attributes: ReceivedSpan["attributes"]): number {
  const parts = Object.entries(attributes).filter(
    ([name]) => name.startsWith("faceline.time.") && name !== "faceline.time.total_ms",
  );
  return parts.reduce((sum, [, ms]) => sum + Number(ms), 0);
}

const named = (spans: ReceivedSpan[], name: string): ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

/** The spans in which a batcher had a task. */
const waits = (spans: ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter(({ name }) => name.startsWith("process faceline.tasks."));

/** The share of a call's time that no part of `Server-Timing` accounts for. */
function gapOf(timing: string): number {
  const ms = (part: string) => Math.abs(Number(new RegExp(`${part};dur=(-?[\\d.]+)`).exec(timing)![1]));
  return ms("unaccounted") / ms("total");
}

const leaf = (name: string): Tree => [name, []];

const indexOf = ({ attributes }: ReceivedSpan): number => Number(attributes["faceline.task.index"]);

type Tree = [name: string, children: Tree[]];
type Traced = { running: TestStack; receiver: OtlpReceiver };
type TracedOptions = { workers: number; settings?: Record<string, string> };
