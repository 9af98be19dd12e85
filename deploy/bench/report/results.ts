import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { capture } from "../../launcher/capture.ts";
import { repository } from "../../launcher/state-folder.ts";
import type { Bench, PartResult } from "../part.ts";

/**
 * Writes every value of a part as JSON, with the commit, the machine and the plan it takes to judge it, and
 * returns the file. Quick runs lie beside the full ones.
 */
export async function writeResults(
  bench: Pick<Bench, "folder" | "quick" | "threads">,
  part: string,
  { plan, results }: PartResult,
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

/** To a thousandth: nothing here is measured to a microsecond. */
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
 * `flags`: the processor's instruction sets that matter to networks; empty where the system does not name
 * them.
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
