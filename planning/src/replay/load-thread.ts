import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Trace, type TraceColumns } from "../trace/trace.ts";
import { callBody } from "./call-body.ts";
import type { PictureStock } from "./picture-stock.ts";
import { type ReplayColumns, ReplayedCalls, replayOutcome } from "./replayed-calls.ts";

// The thread of load.ts: sends each call when it is due, whether or not those before it were answered.

/** A service answers by the deadline, which is at most 120 s. */
const giveUpMs = 130_000;
/** The code of an error is near the beginning. */
const keptCharacters = 512;

const { columns, stock, plan, results } = workerData as LoadData;
const trace = new Trace(columns);
const calls = new ReplayedCalls(results);
const isHttps = plan.url.startsWith("https:");
const [Agent, request] = isHttps ? [HttpsAgent, requestHttps] : [HttpAgent, requestHttp];
// The service closes idle connections later than this: a call on a connection that closes would fail.
const agent = new Agent({ keepAlive: true, maxSockets: plan.inFlightMax, timeout: 3_000 });

await replay();
agent.destroy();
parentPort!.postMessage("over");

async function replay(): Promise<void> {
  const { atMs } = columns;
  const startedAt = performance.now();
  const pending = new Set<Promise<void>>();
  for (let call = 0; call < trace.calls; call++) {
    const dueAt = startedAt + atMs[call]! - atMs[0]!;
    const aheadMs = dueAt - performance.now();
    // Timers have whole milliseconds: what a call waits beyond its instant counts as its latency.
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    if (pending.size >= plan.inFlightMax) {
      calls.end(call, { outcome: "unsent", tookMs: 0, sentAfterMs: 0, serverTiming: "" });
      continue;
    }
    const sent: Promise<void> = send(call, dueAt).then(() => void pending.delete(sent));
    pending.add(sent);
  }
  await Promise.all(pending);
}

async function send(call: number, dueAt: number): Promise<void> {
  const sentAfterMs = performance.now() - dueAt;
  const deadlineMs = columns.timeBudgetMs[call]!;
  const first = columns.firstPicture[call]!;
  const pictures = Array.from(
    { length: trace.picturesOf(call) },
    (_, index) => stock.pictures[stock.pictureOf[first + index]!]!,
  );
  const { path, body } = callBody(columns.lanes[columns.lane[call]!]!, pictures);
  const { status, error, serverTiming } = await post(path, body, {
    "x-api-key": plan.keys[columns.tenant[call]! % plan.keys.length]!,
    "x-request-timeout-ms": `${Math.round(deadlineMs)}`,
    "content-type": "application/json",
    "content-length": `${body.reduce((sum, { length }) => sum + length, 0)}`,
  });
  const tookMs = performance.now() - dueAt;
  const outcome = replayOutcome(status, error, tookMs > deadlineMs);
  calls.end(call, { outcome, tookMs, sentAfterMs, serverTiming });
}

/** How a call ended is a value: nothing here throws. */
function post(path: string, body: Uint8Array[], headers: Record<string, string>): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const broken: Reply = { status: undefined, error: undefined, serverTiming: "" };
  const call = request(new URL(path, plan.url), { method: "POST", agent, headers });
  call.setTimeout(giveUpMs, () => call.destroy());
  call.on("error", () => resolve(broken));
  call.on("response", (response: IncomingMessage) => {
    let text = "";
    response.on("data", (chunk: Buffer) => {
      if (text.length < keptCharacters) text += chunk.toString("latin1");
    });
    response.on("error", () => resolve(broken));
    response.on("end", () => {
      const serverTiming = String(response.headers["server-timing"] ?? "");
      const [, error] = /"error":\s*"(\w+)"/.exec(text) ?? [];
      resolve({ status: response.statusCode, error, serverTiming });
    });
  });
  call.cork();
  for (const piece of body) call.write(piece);
  call.end();
  return promise;
}

type Reply = { status: number | undefined; error: string | undefined; serverTiming: string };

export type LoadData = {
  columns: TraceColumns;
  stock: PictureStock;
  plan: LoadPlan;
  results: ReplayColumns;
};

export type LoadPlan = {
  url: string;
  /** API keys of teams: tenant n of the trace uses key n, modulo their number. */
  keys: readonly string[];
  /** Calls beyond are not sent, and counted. */
  inFlightMax: number;
};
