import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeTemporaryFolder } from "@faceline/models/empty-folder";
import { Network, type NetworkSource } from "./network.ts";
import { openSession, type SessionSettings } from "./session.ts";

/**
 * Checks that a network's arithmetic runs on the requested execution provider. An open session proves little:
 * operators that a provider does not support are silently left to the CPU. So one run over a black image is
 * profiled. Throws one sentence that names the nodes that ran elsewhere.
 */
export async function checkPlacement(
  model: Uint8Array,
  source: NetworkSource,
  settings: SessionSettings,
): Promise<void> {
  const { executionProvider } = settings;
  const folder = makeTemporaryFolder("faceline-placement-");
  try {
    const session = await openSession(model, { ...settings, profilePrefix: join(folder, "run") });
    const network = await Network.open(source, session, [1]);
    session.endProfiling();
    await network[Symbol.asyncDispose]();
    const [file] = await readdir(folder);
    const profile = JSON.parse(await readFile(join(folder, file!), "utf8")) as ProfileEvent[];
    const misplaced = misplacedNodes(profile, executionProvider);
    if (misplaced.length === 0) return;
    throw new Error(
      `EXECUTION_PROVIDER is ${executionProvider}, but part of the network ${source.name} ran elsewhere: ${misplaced.join(", ")}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The heavy nodes that ran on another provider than `executionProvider`, as `Conv on CPUExecutionProvider`,
 * each once.
 */
export function misplacedNodes(profile: readonly ProfileEvent[], executionProvider: string): string[] {
  const misplaced = new Set<string>();
  let heavyNodes = 0;
  for (const { cat, args } of profile) {
    if (cat !== "Node" || args?.provider === undefined || !heavyOperators.test(args.op_name ?? "")) continue;
    heavyNodes++;
    if (!args.provider.toLowerCase().startsWith(executionProvider)) {
      misplaced.add(`${args.op_name} on ${args.provider}`);
    }
  }
  return heavyNodes === 0 ? ["its profile has no known node"] : [...misplaced].toSorted();
}

/** These take the time of a run. Shapes and casts may well run on the CPU. */
const heavyOperators = /Conv|MatMul|Gemm/;

/** The fields used here of what onnxruntime writes for each step. */
export type ProfileEvent = { cat: string; args?: { op_name?: string; provider?: string } };
