import { processMemory } from "../../testing/process-memory.ts";
import { sum } from "../statistics.ts";
import { processes } from "./cpu.ts";

/**
 * Returns the resident MiB of process groups by name; `leaders` holds the process id of the leader of each.
 * Memory that processes of a group share counts for each of them. Reads /proc: null on anything but Linux.
 */
export function residentMib(leaders: Readonly<Record<string, number>>): Record<string, number> | null {
  if (process.platform !== "linux") return null;
  const names = new Map(Object.entries(leaders).map(([name, leader]) => [leader, name]));
  const mib: Record<string, number> = {};
  for (const { pid, group } of processes()) {
    const name = names.get(group);
    if (name !== undefined) mib[name] = (mib[name] ?? 0) + residentMibOf(pid);
  }
  return mib;
}

/** 0 for a process that has ended, or that is a zombie and has no memory any more. */
function residentMibOf(pid: number): number {
  try {
    return processMemory(pid).nowMib || 0;
  } catch {
    return 0;
  }
}

/** Samples the resident memory of processes every second until it is disposed. Linux only. */
export class MemorySampler implements Disposable {
  readonly byName: Record<string, MemorySample[]> = {};
  readonly #timer: NodeJS.Timeout;
  readonly #sample: () => void;

  /** `served` returns how many pictures were served so far. */
  constructor(leaders: () => Record<string, number>, served: () => number) {
    this.#sample = () => {
      const all = Object.entries(leaders()).map(([name, pid]) => [name, processMemory(pid).nowMib] as const);
      const services = all.filter(([name]) => /-\d+$/.test(name));
      const totals = [
        [allServices, sum(services.map(([, mib]) => mib))],
        [wholeStack, sum(all.map(([, mib]) => mib))],
      ] as const;
      for (const [name, mib] of [...all, ...totals]) {
        (this.byName[name] ??= []).push({ served: served(), mib });
      }
    };
    this.#sample();
    this.#timer = setInterval(this.#sample, everyMs);
  }

  /** Returns MiB of the last sample at or before that many pictures. */
  at(name: string, served: number): number {
    return this.byName[name]!.findLast((each) => each.served <= served)!.mib;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#sample();
  }
}

const everyMs = 1_000;
/** Ingress, batcher and worker together. Memory that they share, like the code of Node, counts for each. */
export const allServices = "the services";
/** With the broker and both Redis servers. */
export const wholeStack = "whole stack";

/** Resident memory when that many pictures had been served. */
export type MemorySample = { served: number; mib: number };
