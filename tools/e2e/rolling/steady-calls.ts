import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { poisson } from "@faceline/bench/load/open-loop";
import { table } from "@faceline/bench/report";

/**
 * Sends calls at a rate over kept connections until it is stopped, whether or not earlier ones were answered.
 * No call is sent a second time. What a call took counts from when it was due, so neither a server that
 * stalls nor this process can hide a delay.
 */
export class SteadyCalls {
  /** Name of what happens meanwhile, to tell the calls of a restart apart. */
  phase: string;
  /** Deadline of the calls from now on. */
  deadlineMs: number;
  /** Calls that have ended, in this order. */
  readonly ends: CallEnd[] = [];
  readonly #plan: SteadyCallsPlan;
  readonly #agent = new Agent({ keepAlive: true, timeout: idleMs });
  readonly #pending = new Set<Promise<void>>();
  readonly #sending: Promise<void>;
  #connections = 0;
  #stopped = false;

  constructor(plan: SteadyCallsPlan) {
    this.#plan = plan;
    this.phase = plan.phase;
    this.deadlineMs = plan.deadlineMs;
    this.#sending = this.#send();
  }

  /** Resolves when `count` more calls have ended. */
  async moreEnded(count: number): Promise<void> {
    const wanted = this.ends.length + count;
    while (this.ends.length < wanted) await sleep(pollEveryMs);
  }

  /** Sends no more calls, and returns how all of them ended once they have. */
  async stop(): Promise<SteadyResult> {
    this.#stopped = true;
    await this.#sending;
    await Promise.all(this.#pending);
    this.#agent.destroy();
    return { ends: this.ends, connections: this.#connections };
  }

  async #send(): Promise<void> {
    const { perSecond } = this.#plan;
    const startedAt = performance.now();
    const instants = poisson({ seed: perSecond, perSecond, forMs: longestMs });
    for (const [index, dueMs] of instants.entries()) {
      const aheadMs = startedAt + dueMs - performance.now();
      if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
      if (this.#stopped) return;
      const call: Promise<void> = this.#call(index, startedAt + dueMs).then(() => {
        this.#pending.delete(call);
      });
      this.#pending.add(call);
    }
    throw new Error(`the calls were not stopped within ${longestMs} ms`);
  }

  async #call(index: number, dueAt: number): Promise<void> {
    const { phase } = this;
    const end = await this.#post(index);
    this.ends.push({ phase, end, endedAt: Date.now(), tookMs: performance.now() - dueAt });
  }

  /** Returns `200`, the status and error code of another answer, or what happened to the connection. */
  #post(index: number): Promise<string> {
    const { url, key, bodies, check } = this.#plan;
    const { deadlineMs } = this;
    const id = randomUUID();
    const number = index % bodies.length;
    const body = bodies[number]!;
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = request(url, {
      method: "POST",
      agent: this.#agent,
      headers: {
        "x-api-key": key,
        "x-request-id": id,
        "x-request-timeout-ms": `${deadlineMs}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      },
    });
    const giveUp = setTimeout(() => {
      resolve(noAnswer);
      call.destroy();
    }, deadlineMs + graceMs);
    call.on("socket", () => {
      if (!call.reusedSocket) this.#connections++;
    });
    call.on("error", ({ message }) => resolve(message));
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", ({ message }) => resolve(message));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode !== 200) resolve(`${response.statusCode} ${errorOf(text)}`);
        else {
          const answer = JSON.parse(text) as Record<string, unknown>;
          resolve(answer["request_id"] === id && check(answer, number) ? "200" : wrongAnswer);
        }
      });
    });
    call.end(body);
    return promise.finally(() => clearTimeout(giveUp));
  }
}

/** A row for each phase: calls, how many did not end with 200 in time, and the slowest. */
export function tableOfPhases(ends: readonly CallEnd[], deadlineMs: number): string {
  const rows = [...Map.groupBy(ends, ({ phase }) => phase)].map(([phase, calls]) => [
    phase,
    `${calls.length}`,
    `${calls.filter(({ end }) => end !== "200").length}`,
    `${calls.filter(({ tookMs }) => tookMs > deadlineMs).length}`,
    Math.max(...calls.map(({ tookMs }) => tookMs)).toFixed(0),
  ]);
  return table(["while", "calls", "failed", "late", "slowest, ms"], rows);
}

/** Returns the code of an error, and the dependency that it names. The answer of a proxy is not JSON. */
const errorOf = (text: string): string =>
  ["error", "dependency"]
    .flatMap((name) => new RegExp(`"${name}":\\s*"([\\w-]+)"`).exec(text)?.[1] ?? [])
    .join(" ") || "without a code";

export const wrongAnswer = "200 with a wrong answer";
export const noAnswer = "no answer";

/** Servers close idle connections after 5 s or more. Closed here before, none closes when a call takes it. */
const idleMs = 3_000;
/** Wait after the deadline, so that a late answer differs from a missing one. */
const graceMs = 5_000;
const longestMs = 1_800_000;
const pollEveryMs = 10;

/** `check`: whether an answer is that of the body with this index. */
type SteadyCallsPlan = {
  phase: string;
  url: string;
  key: string;
  bodies: string[];
  perSecond: number;
  deadlineMs: number;
  check(answer: Record<string, unknown>, body: number): boolean;
};

export type CallEnd = { phase: string; end: string; endedAt: number; tookMs: number };

/** `connections`: how many were opened for all calls. */
type SteadyResult = { ends: CallEnd[]; connections: number };
