import assert from "node:assert/strict";
import { test } from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { runImages } from "./batch-run.ts";
import { noUsage } from "./engine/pipeline.ts";
import type { EngineImage, EngineWork, RunResult, TaskResult } from "./engine/work.ts";

const lane = laneId("Dlib", "ssd");
const tooCoarse: TaskResult = { kind: "too_coarse" };
const noFace: TaskResult = { kind: "rejected", code: "no_face_detected" };
const damaged: Outcome = { kind: "rejected", code: "invalid_image" };
const draft = (originalWidth: number) => ({ originalWidth, isDraft: true }) as EngineImage;

test("images whose draft was too coarse run again in full, and each result is in its place", async () => {
  const { engine, runs } = engineWith([tooCoarse, noFace, tooCoarse, tooCoarse], [noFace, facesOf(4)]);
  const decodeInFull = async (indices: readonly number[]) => {
    assert.deepEqual(indices, [0, 2, 3]);
    return [full(1), damaged, full(4)];
  };
  const images = [1, 2, 3, 4].map(draft);
  const { results, usage } = await runImages(engine, lane, { images, decodeInFull });
  assert.deepEqual(results, [noFace, noFace, damaged, facesOf(4)]);
  assert.deepEqual(runs, [
    [1, 2, 3, 4],
    [1, 4],
  ]);
  assert.equal(usage.runMs, 2 * 5);
});

test("a batch runs once where its drafts suffice, or where no full image is left to run", async () => {
  const images = [draft(1)];
  const once = engineWith([noFace]);
  const unasked = () => assert.fail("no image was too coarse");
  const { results } = await runImages(once.engine, lane, { images, decodeInFull: unasked });
  assert.deepEqual(results, [noFace]);
  const rejected = engineWith([tooCoarse]);
  const decodeInFull = async () => [damaged];
  assert.deepEqual((await runImages(rejected.engine, lane, { images, decodeInFull })).results, [damaged]);
});

/** An engine whose runs take 5 ms, and return these results one after another. */
function engineWith(...results: TaskResult[][]) {
  const runs: number[][] = [];
  const run = async ({ images }: EngineWork): Promise<RunResult> => {
    runs.push(images.map(({ originalWidth }) => originalWidth));
    return { results: results.shift()!, usage: { ...noUsage, lane, runMs: 5, cpuMs: 5 } };
  };
  return { engine: { run }, runs };
}

function facesOf(count: number): TaskResult & { kind: "faces" } {
  return { kind: "faces", faces: Array.from({ length: count }, () => ({}) as never) };
}

function full(originalWidth: number): EngineImage {
  return { originalWidth, pixels: new Uint8Array(3) } as EngineImage;
}
