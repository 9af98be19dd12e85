import { processMemory } from "../testing/process-memory.ts";
import type { Resident } from "./flatness.ts";

/** Looks every second at what processes keep in memory, each under its name. Linux alone tells. */
export class Residents implements Disposable {
  readonly byName: Record<string, Resident[]> = {};
  readonly #timer: NodeJS.Timeout;
  readonly #look: () => void;

  constructor(leaders: () => Record<string, number>, served: () => number) {
    this.#look = () => {
      const mib: Record<string, number> = {};
      for (const [name, pid] of Object.entries(leaders())) mib[name] = processMemory(pid).nowMib;
      mib[services] = sum(mib, (name) => /-\d+$/.test(name));
      mib[wholeStack] = sum(mib, (name) => name !== services);
      for (const [name, each] of Object.entries(mib)) {
        (this.byName[name] ??= []).push({ served: served(), mib: each });
      }
    };
    this.#look();
    this.#timer = setInterval(this.#look, everyMs);
  }

  /** The last look at or before so many pictures. */
  at(name: string, served: number): number {
    return this.byName[name]!.findLast((each) => each.served <= served)!.mib;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#look();
  }
}

function sum(mib: Record<string, number>, counts: (name: string) => boolean): number {
  return Object.entries(mib).reduce((all, [name, each]) => (counts(name) ? all + each : all), 0);
}

const everyMs = 1_000;
/** Ingress, batcher and worker together. What they share, like the code of Node, counts for each. */
export const services = "the services";
/** With the broker and both Redis servers. */
export const wholeStack = "whole stack";
