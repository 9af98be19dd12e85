// Covers the ids in the log lines of all services, and their delivery by OTLP.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { tinyJpeg } from "@faceline/bench/images";
import { openOtlpReceiver, type ReceivedSpan } from "@faceline/testing/otlp-receiver";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

test("every line about a call has its request_id and trace_id, every line about a batch its batch_id", async (t) => {
  const receiver = await openOtlpReceiver();
  const starting = startStack(t, {
    workers: 2,
    settings: {
      ENGINE: "model:1000+1b",
      BATCH_MAX: "4",
      LOG_LEVEL: "debug",
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  });
  // Closed after the stack, which sends its last spans when it stops.
  const running = await starting.finally(() => t.after(() => receiver.close()));
  const img = (await tinyJpeg()).toString("base64");
  let sent = 0;
  const represent = async (deadlineMs: string) => {
    const id = `logged-${++sent}`;
    const headers = { "x-request-id": id, "x-request-timeout-ms": deadlineMs };
    const { status, headers: response } = await running.postOnce("/represent", { img }, headers);
    return { id, status, traceId: response.get("traceparent")?.split("-")[1] };
  };
  const responses: Awaited<ReturnType<typeof represent>>[] = [];
  const ended = (status: number) => responses.some((response) => response.status === status);
  const send = async (count: number, deadlineMs: string) =>
    void responses.push(...(await Promise.all(Array.from({ length: count }, () => represent(deadlineMs)))));
  await waitUntil("a call is answered", () => send(1, "120000").then(() => ended(200)));
  // Shed by the batcher or late: more than can be served in the time.
  await waitUntil("a call is refused", () => send(40, "1300").then(() => ended(503)));
  const lines = () =>
    readdirSync(running.logs).flatMap((file) =>
      readFileSync(join(running.logs, file), "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => ({ file, ...(JSON.parse(line) as Line) })),
    );
  await waitUntil("a lost batch is logged", async () => {
    // There are batches for both workers, and one of these is killed.
    const calls = send(8, "120000");
    const isBatch = ({ name }: ReceivedSpan) => name.startsWith("process ");
    const before = receiver.spans.filter(isBatch).length;
    const isSent = waitUntil("a batch is sent", () => receiver.spans.filter(isBatch).length > before);
    await Promise.race([isSent, calls]);
    running.services.find("inference-1").kill("SIGKILL");
    await calls;
    return lines().some(isLost);
  });

  const traces = new Map(responses.map(({ id, traceId }) => [id, traceId]));
  const aboutCalls = lines().filter(({ msg }) => sentences.ofCalls.some((each) => msg.startsWith(each)));
  const aboutBatches = lines().filter(({ msg }) => sentences.ofBatches.some((each) => msg.startsWith(each)));
  const services = (some: (Line & { file: string })[]) =>
    [...new Set(some.map(({ service }) => service))].toSorted();
  // A worker may get a batch again whose images have gone with its calls.
  const aboutCallsFrom = services(aboutCalls).filter((service) => service !== "faceline-inference");
  assert.deepEqual(aboutCallsFrom, ["faceline-batcher", "faceline-ingress"]);
  assert.deepEqual(services(aboutBatches), ["faceline-batcher", "faceline-inference"]);

  for (const line of aboutCalls) {
    if (line.msg.endsWith("(repeated)")) {
      assert.ok(
        line.request_ids!.every((id) => traces.has(id)),
        JSON.stringify(line),
      );
    } else assert.equal(line.trace_id, traces.get(line.request_id!) ?? "no such call", JSON.stringify(line));
  }
  for (const line of aboutBatches) {
    assert.ok(
      (line.batch_id ?? line.batch_ids?.[0])?.match(/^batcher-[0-9a-f]+\/\d+$/),
      JSON.stringify(line),
    );
    assert.ok(
      line.request_ids!.every((id) => traces.has(id)),
      JSON.stringify(line),
    );
    if (line.batch_id !== undefined) {
      assert.match(line.trace_id!, /^[0-9a-f]{32}$/, JSON.stringify(line));
      assert.match(line.span_id!, /^[0-9a-f]{16}$/, JSON.stringify(line));
    }
  }
  // What is about neither names no call: whoever adds a line about one finds this list.
  const others = lines().filter((line) => !aboutCalls.includes(line) && !aboutBatches.includes(line));
  const known = new Set(aboutCalls.concat(aboutBatches).map(({ msg }) => msg));
  for (const line of others.filter(({ msg }) => !known.has(msg))) {
    assert.doesNotMatch(
      JSON.stringify(line),
      /logged-\d|batcher-[0-9a-f]+\/\d/,
      "a line names a call or batch",
    );
  }

  const sending = () => receiver.logs.filter(({ body }) => body === "ready").map(({ service }) => service);
  await waitUntil("every service has sent lines", () => new Set(sending()).size === 3);
});

/** The beginnings of the sentences that this run leads to. */
const sentences = {
  ofCalls: [
    "answered",
    "a request was ",
    "shed by",
    "late:",
    "refused,",
    "a task was still waiting at its deadline",
    "a task failed",
    "a task had ended before its run",
  ],
  ofBatches: ["ran", "a batch was lost", "no worker confirmed", "the run of a batch failed", "a run failed"],
};

const isLost = ({ msg }: Line): boolean => msg.startsWith("a batch was lost");

type Line = {
  service: string;
  msg: string;
  request_id?: string;
  request_ids?: string[];
  trace_id?: string;
  span_id?: string;
  batch_id?: string;
  batch_ids?: string[];
};
