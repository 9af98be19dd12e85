import assert from "node:assert/strict";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Engine } from "./engine/engine.ts";
import type { EngineImage, RunUsage } from "./engine/work.ts";
import { sumUsage } from "./network/network.ts";
import type { PreparedBatch } from "./preparation.ts";

/**
 * Runs the images of a batch. Those whose draft turned out to be too coarse are decoded in full and run
 * again. Returns one result for each image, in their order, and the usage of both runs.
 */
export async function runImages(
  engine: Pick<Engine, "run">,
  lane: LaneId,
  prepared: Pick<PreparedBatch, "images" | "decodeInFull">,
): Promise<{ results: Outcome[]; usage: RunUsage }> {
  const first = await engine.run({ lane, images: prepared.images });
  const results: Outcome[] = [];
  const tooCoarse: number[] = [];
  for (const [index, result] of first.results.entries()) {
    if (result.kind === "too_coarse") tooCoarse.push(index);
    else results[index] = result;
  }
  if (tooCoarse.length === 0) return { results, usage: first.usage };

  const repeated: { index: number; image: EngineImage }[] = [];
  for (const [position, decoded] of (await prepared.decodeInFull(tooCoarse)).entries()) {
    const index = tooCoarse[position]!;
    if ("pixels" in decoded) repeated.push({ index, image: decoded });
    else results[index] = decoded;
  }
  if (repeated.length === 0) return { results, usage: first.usage };
  const second = await engine.run({ lane, images: repeated.map(({ image }) => image) });
  for (const [position, result] of second.results.entries()) {
    assert(result.kind !== "too_coarse", "an image that was decoded in full cannot be too coarse");
    results[repeated[position]!.index] = result;
  }
  return { results, usage: sumOf(first.usage, second.usage) };
}

function sumOf(one: RunUsage, other: RunUsage): RunUsage {
  return {
    lane: one.lane,
    runMs: one.runMs + other.runMs,
    cpuMs: one.cpuMs + other.cpuMs,
    detectMs: one.detectMs + other.detectMs,
    alignMs: one.alignMs + other.alignMs,
    embedMs: one.embedMs + other.embedMs,
    quarterTurnsTried: one.quarterTurnsTried + other.quarterTurnsTried,
    implausible: one.implausible + other.implausible,
    faces: one.faces + other.faces,
    networks: sumUsage([...one.networks, ...other.networks]),
  };
}
