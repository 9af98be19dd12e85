import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { capture } from "../launcher/capture.ts";
import { repository } from "../launcher/state-folder.ts";
import type { Bench, Measured } from "./bench.ts";

/** Writes every value of a part with what it takes to judge it. Quick runs lie beside the full ones. Returns the file. */
export async function keepResults(bench: Bench, part: string, { plan, results }: Measured): Promise<string> {
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

/** A thousandth of a millisecond is less than any of it means. */
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

/** `flags`: which of the instructions it has that networks are run with; empty where the system does not tell. */
export function processor(): { cores: number; cpu: string; flags: string[] } {
  const told = process.platform === "linux" ? readFileSync("/proc/cpuinfo", "utf8") : "";
  return { cores: availableParallelism(), cpu: cpus()[0]?.model ?? "unknown", flags: wideFlags(told) };
}

/** Of `/proc/cpuinfo`. */
export function wideFlags(cpuinfo: string): string[] {
  const [, flags = ""] = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo) ?? [];
  return flags
    .split(/\s+/)
    .filter((flag) => /^(avx2|avx512f|avx512bw|\w*vnni\w*|amx_\w+|asimddp|i8mm)$/.test(flag));
}

/** A copy without git, or with changes that no commit holds, says so. */
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
