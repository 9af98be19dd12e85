import { PrecisionSetting } from "../src/network/precision.ts";

/**
 * Settings of lanes for tests: one thread, and one image and one face in a run, so that results do not
 * depend on how a batch is divided.
 */
export const oneAtATime = {
  executionProvider: "cpu",
  intraOpThreads: 1,
  batchMax: 1,
  detectorChunkMax: 1,
  faceChunkMax: 1,
  precision: PrecisionSetting.parse("auto"),
} as const;
