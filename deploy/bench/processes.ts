import type { Cpu } from "./cpu.ts";
import { table } from "./figures.ts";

/** Cores that each process kept busy, a row a case: 1.00 is one core all the time. */
export function cpuTable(cases: CpuCase[]): string {
  const names = [...new Set(cases.flatMap(({ cpu }) => Object.keys(cpu ?? {})))];
  if (names.length === 0) return "CPU time is only told on Linux.";
  const rows = cases.map(({ name, cpu, tookMs }) => [
    name,
    ...names.map((process) => {
      const seconds = cpu?.[process];
      return seconds === undefined ? "–" : ((seconds * 1_000) / tookMs).toFixed(2);
    }),
  ]);
  return table(["", ...names], rows);
}

export type CpuCase = { name: string; cpu: Cpu; tookMs: number };
