import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { telemetryOff } from "@faceline/models/onnxruntime-telemetry";
import { Child } from "@faceline/deploy/launcher/child";
import { LogFile } from "@faceline/deploy/launcher/log-file";
import { mallocSettings } from "@faceline/deploy/launcher/memory-settings";
import type { ServerAccess } from "@faceline/deploy/launcher/server-access";

/**
 * Two processes of each service of one pool, each of which runs the code of one folder and can be replaced by
 * one that runs that of another. Unlike `Services`, nothing starts a process that ends.
 */
export class RollingProcesses implements AsyncDisposable {
  readonly #plan: RollingPlan;
  readonly #logs = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "rolling-"));
  readonly #running = new Map<ProcessName, Child>();

  constructor(plan: RollingPlan) {
    this.#plan = plan;
  }

  /** Starts all of them with the code in this folder. */
  async start(code: string): Promise<void> {
    await Promise.all(processNames.map((name) => this.#start(name, code)));
  }

  /**
   * Stops a process as an orchestrator does, and starts one with the code in this folder in its place. A new
   * worker starts before: on two cores one worker alone cannot serve what two can.
   */
  async replace(name: ProcessName, code: string): Promise<void> {
    const old = this.#running.get(name)!;
    const isWorker = name.startsWith("inference");
    if (isWorker) await this.#start(name, code);
    const result = await old.stop(stopWithinMs, never);
    if (result === "killed") throw new Error(`${name} did not stop within ${stopWithinMs} ms`);
    if (!isWorker) await this.#start(name, code);
  }

  async #start(name: ProcessName, code: string): Promise<void> {
    const { access, pool, ports, settings } = this.#plan;
    const [service, number] = name.split("-") as [Service, string];
    const env = {
      ...mallocSettings(service, process.env),
      ...process.env,
      ...telemetryOff,
      ...access[service],
      POOL: pool,
      POOLS: pool,
      HOST: "127.0.0.1",
      PORT: `${ports[Number(number) - 1]}`,
      INTRA_OP_THREADS: "1",
      ...settings,
    };
    const args = ["--disable-sigusr1", join(code, service, "src", "main.ts")];
    const log = new LogFile(join(this.#logs, `${name}.log`));
    const program = { name, command: process.execPath, args, env, ready: "message" } as const;
    const child = new Child(program, (line) => log.write(line));
    void child.ended.then(() => log[Symbol.dispose]());
    this.#running.set(name, child);
    await child.ready(readyWithinMs, never);
  }

  /** The ingresses first, while batchers and workers still run. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of ["ingress", "batcher", "inference"]) {
      const children = [...this.#running].filter(([name]) => name.startsWith(service));
      await Promise.all(children.map(([, child]) => child.stop(stopWithinMs, never)));
    }
  }
}

/** Processes in the order of an upgrade. */
export const processNames = [
  "inference-1",
  "inference-2",
  "batcher-1",
  "batcher-2",
  "ingress-1",
  "ingress-2",
] as const;

const readyWithinMs = 60_000;
/** Longer than an ingress drains (DRAIN_WITHIN_MS, 35 s). */
const stopWithinMs = 40_000;
const never = new AbortController().signal;

type ProcessName = (typeof processNames)[number];
type Service = "ingress" | "batcher" | "inference";

type RollingPlan = {
  access: ServerAccess;
  pool: string;
  /** Ports of the two ingresses. */
  ports: number[];
  /** Settings of all services, which come before those of the environment. */
  settings: Record<string, string>;
};
