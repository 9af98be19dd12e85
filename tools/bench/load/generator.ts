import { IpcChild } from "../observe/ipc-child.ts";
import { type Cpu, measureCpu, measureThreads } from "../observe/processes.ts";
import { type ClosedLoop, type ClosedLoopResult, closedLoop } from "./closed-loop.ts";
import type { OpenLoopCall } from "./open-loop.ts";
import { type OpenLoop, openLoop } from "./open-loop.ts";

/** Name of the load generator in lists of processes. */
export const generatorName = "load generator";

/**
 * Starts the load generator: this file as a process of its own, so that no other work of the benchmark can
 * delay a call that is due, and so that its CPU time is told apart.
 */
export async function openGenerator(stop: AbortSignal): Promise<Generator> {
  const child = new IpcChild("the load generator", "tools/bench/load/generator.ts", [], { stop });
  await child.receive();
  const run = async (load: Load, hooks: Partial<Record<Instant, () => void>>): Promise<unknown> => {
    const message = await child.request(load, (received) => {
      const { kind } = received as Message;
      if (kind === "result") return true;
      if (kind !== "ready") hooks[kind]?.();
      return false;
    });
    return (message as Message).result;
  };
  return {
    pid: child.pid,
    openLoop: async (plan, onWarm) => (await run({ kind: "open", plan }, { warm: onWarm })) as OpenLoopCall[],
    closedLoop: async (plan, hooks = {}) => (await run({ kind: "closed", plan }, hooks)) as ClosedLoopResult,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/**
 * Runs a closed loop, and measures the CPU time of process groups, of their leaders' threads and of the
 * generator while calls are counted. `leaders` holds the process id of the leader of each group, by name.
 */
export async function measureLoop(
  generator: Generator,
  plan: ClosedLoop,
  leaders: Readonly<Record<string, number>>,
): Promise<MeasuredLoop> {
  const all = { ...leaders, [generatorName]: generator.pid };
  let cpuUsed = measureCpu(all);
  let threadsUsed = measureThreads(leaders);
  let [cpu, threads]: [Cpu, Cpu] = [null, null];
  const result = await generator.closedLoop(plan, {
    warm: () => void ([cpuUsed, threadsUsed] = [measureCpu(all), measureThreads(leaders)]),
    over: () => void ([cpu, threads] = [cpuUsed(), threadsUsed()]),
  });
  return { ...result, cpu, threads };
}

if (import.meta.main) {
  process.on("message", (load: Load) => {
    void run(load).then((result) => send({ kind: "result", result }));
  });
  process.on("disconnect", () => process.exit());
  send({ kind: "ready" });
}

function run(load: Load): Promise<unknown> {
  const onWarm = () => send({ kind: "warm" });
  switch (load.kind) {
    case "open":
      return openLoop(load.plan, onWarm);
    case "closed":
      return closedLoop(load.plan, { warm: onWarm, over: () => send({ kind: "over" }) });
  }
}

function send(message: Message): void {
  process.send!(message);
}

type Load = { kind: "open"; plan: OpenLoop } | { kind: "closed"; plan: ClosedLoop };
/** The end of the warm-up, and the end of what is counted. */
type Instant = "warm" | "over";
type Message = { kind: Instant | "ready" | "result"; result?: unknown };

export type MeasuredLoop = ClosedLoopResult & { cpu: Cpu; threads: Cpu };

export type Generator = AsyncDisposable & {
  pid: number;
  /** Runs `onWarm` when the warm-up ends. */
  openLoop(plan: OpenLoop, onWarm: () => void): Promise<OpenLoopCall[]>;
  /** Runs `warm` when the warm-up ends, and `over` when what ends later is no longer counted. */
  closedLoop(plan: ClosedLoop, hooks?: { warm?(): void; over?(): void }): Promise<ClosedLoopResult>;
};
