import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "@faceline/deploy/launcher/state-folder";

/**
 * Runs two networks in a process of its own, as inference/testing/embed-on.ts says: the environment of a
 * process chooses its drivers and libraries.
 */
export async function runNetworksOn(
  provider: string,
  environment: NodeJS.ProcessEnv = {},
  precision = "float",
): Promise<NetworksRun> {
  const script = join(repository, "inference/testing/embed-on.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, provider, precision], {
    env: { ...process.env, ...environment },
    // Where a CPU stands for a GPU, a run takes seconds, and five for each network are needed.
    timeout: 600_000,
  });
  return JSON.parse(stdout) as NetworksRun;
}

/** The largest difference between the outputs of two runs, over all networks. */
export function largestDifference({ outputs: a }: NetworksRun, { outputs: b }: NetworksRun): number {
  return Math.max(
    ...Object.entries(a!).flatMap(([name, expected]) => {
      assert.ok(expected.length > 100 && expected.length === b![name]!.length, name);
      return expected.map((value, index) => Math.abs(value - b![name]![index]!));
    }),
  );
}

/** Outputs of each network for a synthetic face, or the sentence with which loading ends. */
type NetworksRun = { outputs?: Record<string, number[]>; error?: string };
