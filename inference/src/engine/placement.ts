import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Network, type NetworkSource } from "./network.ts";
import { openSession, type SessionSettings } from "./provider.ts";

/**
 * Makes sure that a network's arithmetic really runs where it was asked to. A session that opens proves little: what a
 * provider cannot do is left to the CPU without a word. So one run of a black picture is profiled, and the profile
 * read.
 */
export async function checkPlacement(
  model: Uint8Array,
  source: NetworkSource,
  settings: SessionSettings,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "faceline-placement-"));
  try {
    const session = await openSession(model, { ...settings, profileTo: join(folder, "run") });
    const network = await Network.open(source, session, [1]);
    session.endProfiling();
    await network[Symbol.asyncDispose]();
    const [file] = await readdir(folder);
    const strays = straysOf(
      JSON.parse(await readFile(join(folder, file!), "utf8")),
      settings.executionProvider,
    );
    if (strays.length === 0) return;
    const asked = settings.executionProvider;
    throw new Error(
      `${asked} was asked for, but the network ${source.name} ran elsewhere in part: ${strays.join(", ")}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The heavy nodes that ran on another provider than the one asked for, as `Conv on CPUExecutionProvider`. */
export function straysOf(profile: readonly ProfileEvent[], asked: string): string[] {
  const strays = new Set<string>();
  let heavy = 0;
  for (const { cat, args } of profile) {
    if (cat !== "Node" || args?.provider === undefined || !HEAVY.test(args.op_name ?? "")) continue;
    heavy++;
    if (!args.provider.toLowerCase().startsWith(asked)) strays.add(`${args.op_name} on ${args.provider}`);
  }
  return heavy === 0 ? ["no node of its profile is known"] : [...strays].toSorted();
}

/** What takes the time. Shapes and casts may well be the CPU's. */
const HEAVY = /Conv|MatMul|Gemm/;

/** What onnxruntime writes of each step; the fields that matter here. */
export type ProfileEvent = { cat: string; args?: { op_name?: string; provider?: string } };
