import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { type Cpu, restOfMachine } from "./observe/processes.ts";
import type { Bench, Measured } from "./part.ts";

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

/** Cores that a machine without other work uses, this program included. */
const quietCores = 0.2;

/**
 * Writes every value of a part so far as JSON, with the commit, the machine and the plan it takes to judge
 * it, and returns the file. Quick runs lie beside the full ones.
 */
export async function writeResults(
  bench: Pick<Bench, "folder" | "quick" | "threads">,
  part: string,
  { plan, results }: Measured,
): Promise<string> {
  const { folder, quick, threads } = bench;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, quick ? `${part}.quick.json` : `${part}.json`);
  const report = {
    at: new Date().toISOString(),
    commit: await commit(),
    machine: machine(threads),
    plan,
    results,
  };
  writeFileSync(file, JSON.stringify(report, rounded));
  return file;
}

/** Rounds to a thousandth: nothing here is measured to a microsecond. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === "number" ? Math.round(value * 1_000) / 1_000 : value;

function machine(threads: number) {
  return {
    ...processor(),
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    versions: process.versions,
    intraOpThreads: threads,
  };
}

/**
 * `flags`: the processor's instruction sets that matter to networks; empty if the system does not name them.
 */
export function processor(): { cores: number; cpu: string; flags: string[] } {
  const cpuinfo = process.platform === "linux" ? readFileSync("/proc/cpuinfo", "utf8") : "";
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    flags: vectorInstructions(cpuinfo),
  };
}

/** Reads the vector instruction sets out of `/proc/cpuinfo`. */
export function vectorInstructions(cpuinfo: string): string[] {
  const [, flags = ""] = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo) ?? [];
  return flags
    .split(/\s+/)
    .filter((flag) => /^(avx2|avx512f|avx512bw|\w*vnni\w*|amx_\w+|asimddp|i8mm)$/.test(flag));
}

/** The commit, and whether the working tree differs from it; `unknown` in a copy without git. */
async function commit(): Promise<string> {
  const git = (...args: string[]) => capture("git", ["-C", repository, ...args]);
  try {
    const head = (await git("rev-parse", "HEAD")).trim();
    const changed = (await git("status", "--porcelain")).trim() !== "";
    return changed ? `${head}, with changes` : head;
  } catch {
    return "unknown";
  }
}

type CpuCase = { name: string; cpu: Cpu; tookMs: number };
