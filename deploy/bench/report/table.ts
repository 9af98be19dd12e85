import { type Cpu, restOfMachine } from "../observe/cpu.ts";

/** Returns a table that lines up in a terminal and is Markdown as well. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}

/**
 * Returns a table of the cores that each process kept busy, a row for each case; 1.00 is one core all the
 * time. Adds a warning when other work on the machine took too much for the numbers to be quoted.
 */
export function cpuTable(cases: readonly CpuCase[]): string {
  const seen = new Set(cases.flatMap(({ cpu }) => Object.keys(cpu ?? {})));
  // The rest of the machine is the last column.
  const names = [...seen].toSorted((a, b) => Number(a === restOfMachine) - Number(b === restOfMachine));
  if (names.length === 0) return "CPU time is measured on Linux only.";
  const cores = ({ cpu, tookMs }: CpuCase, name: string) =>
    cpu?.[name] === undefined ? undefined : (cpu[name] * 1_000) / tookMs;
  const rows = cases.map((each) => [each.name, ...names.map((name) => cores(each, name)?.toFixed(2) ?? "–")]);
  const others = Math.max(...cases.map((each) => cores(each, restOfMachine) ?? 0));
  const warning = `The machine was shared: other work kept up to ${others.toFixed(1)} cores busy. Do not quote these numbers.`;
  return [table(["", ...names], rows), ...(others > quietCores ? [warning] : [])].join("\n\n");
}

/** What a machine without other work uses, this program included. */
const quietCores = 0.2;

type CpuCase = { name: string; cpu: Cpu; tookMs: number };
