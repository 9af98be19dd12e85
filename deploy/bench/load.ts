import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ClosedLoop, Flood, Lonely, OneByOne, Timed, TimedLoop } from "./closed-loop.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Seen } from "./outcomes.ts";

/** The load generator, in a process of its own. It goes when this is closed, or when `stop` aborts. */
export async function openLoad(stop: AbortSignal): Promise<Load> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "generator.ts")], {
    // The leader of a group of its own: its CPU time is told apart from the benchmark's.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const end = () => void child.kill("SIGTERM");
  stop.addEventListener("abort", end, { once: true });
  await answer(child, "ready");
  const run = async (
    plan: OpenLoop | ClosedLoop | OneByOne | TimedLoop,
    instants?: Record<string, () => void>,
  ): Promise<unknown> => {
    child.send(plan);
    return answer(child, "result", instants);
  };
  return {
    pid: child.pid!,
    open: async (plan, warm) => (await run({ kind: "open", ...plan }, { warm })) as Seen[],
    closed: async (plan) => (await run({ kind: "closed", ...plan })) as Flood,
    lonely: async (plan) => (await run({ kind: "lonely", ...plan })) as Lonely[],
    timed: async (plan, instants) => (await run({ kind: "timed", ...plan }, instants)) as Timed,
    async [Symbol.asyncDispose]() {
      stop.removeEventListener("abort", end);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

function answer(
  child: ChildProcess,
  wanted: string,
  instants: Record<string, () => void> = {},
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const hear = ({ kind, result }: Message) => {
    instants[kind]?.();
    if (kind === wanted) resolve(result);
  };
  const died = () => reject(new Error("the load generator ended"));
  child.on("message", hear);
  child.once("exit", died);
  return promise.finally(() => {
    child.off("message", hear);
    child.off("exit", died);
  });
}

type Message = { kind: string; result?: unknown };

export type Load = AsyncDisposable & {
  pid: number;
  /** Calls `warm` when the warm-up ends. */
  open(plan: Omit<OpenLoop, "kind">, warm: () => void): Promise<Seen[]>;
  closed(plan: Omit<ClosedLoop, "kind">): Promise<Flood>;
  lonely(plan: Omit<OneByOne, "kind">): Promise<Lonely[]>;
  /** Calls `warm` when the warm-up ends, and `over` when what ends later no longer counts. */
  timed(plan: Omit<TimedLoop, "kind">, instants: { warm(): void; over(): void }): Promise<Timed>;
};
