import { type Cpu, everybodyElse } from "./cpu.ts";
import { table } from "./figures.ts";

/** Cores that each process kept busy, a row a case: 1.00 is one core all the time. Says when others took too much. */
export function cpuTable(cases: CpuCase[]): string {
  const seen = new Set(cases.flatMap(({ cpu }) => Object.keys(cpu ?? {})));
  // At the end, whoever was first.
  const last = [...seen].filter((name) => name === everybodyElse);
  const names = [...seen].filter((name) => name !== everybodyElse).concat(last);
  if (names.length === 0) return "CPU time is only told on Linux.";
  const rows = cases.map(({ name, cpu, tookMs }) => [
    name,
    ...names.map((process) => {
      const seconds = cpu?.[process];
      return seconds === undefined ? "–" : ((seconds * 1_000) / tookMs).toFixed(2);
    }),
  ]);
  const others = Math.max(...cases.map(({ cpu, tookMs }) => ((cpu?.[everybodyElse] ?? 0) * 1_000) / tookMs));
  const warning = `The machine was shared: others kept up to ${others.toFixed(1)} cores busy. None of this is to be quoted.`;
  return [table(["", ...names], rows), ...(others > quietCores ? [warning] : [])].join("\n\n");
}

/** What a machine without other work uses, and this program with it. */
const quietCores = 0.2;

export type CpuCase = { name: string; cpu: Cpu; tookMs: number };
