import * as z from "zod";
import { LaneId } from "../wire/ids.ts";
import { LaneDigest } from "../wire/lane-build.ts";

/** Times in ms at equal steps of their distribution, from the least to the greatest. */
const Quantiles = z.array(z.number().nonnegative().finite()).min(2).max(101);

const BatchSize = z.number().int().min(1).max(1_024);

/** Measured times of a lane on a machine. */
const LaneProfile = z.object({
  lane: LaneId,
  digest: LaneDigest,
  precision: z.string(),
  executionProvider: z.string(),
  /** Run times of batches by size, in the order of sizes. */
  runs: z
    .array(
      z.object({
        size: BatchSize,
        ms: Quantiles,
        /** Time of only its networks, as a worker reports it at its start. */
        warmMs: z.number().nonnegative().optional(),
      }),
    )
    .min(1)
    .max(16),
  /**
   * How many times as long a run takes while 0, 1, 2, … other workers of the machine run as well. It has one
   * number for each worker of a machine.
   */
  contention: z.array(z.number().positive()).min(1).max(64),
  /** The share of a run in which it keeps a core busy: 1 on a CPU, 0 for a modelled engine. */
  cpuShare: z.number().min(0).max(1),
});

/** The least and the greatest. */
const Range = z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]);

/** The times of a network's warm runs, from which a worker divides batches into runs. */
const NetworkTimes = z.object({
  name: z.string(),
  /** Hash of its file. */
  sha256: z.hash("sha256"),
  sizes: z
    .array(z.object({ size: BatchSize, runMs: z.number().nonnegative() }))
    .min(1)
    .max(16),
});
export type NetworkTimes = z.infer<typeof NetworkTimes>;

/** Engine settings that run times depend on: INTRA_OP_THREADS and so on. */
const EngineSettings = z.object({
  intraOpThreads: z.number().int().min(1),
  detectorChunkMax: z.number().int().min(1),
  faceChunkMax: z.number().int().min(1),
});
export type EngineSettings = z.infer<typeof EngineSettings>;

/** A machine as seen by a prediction and a starting worker: how long each step takes there. */
export const Profile = z.object({
  format: z.literal("faceline-profile"),
  version: z.literal(5),
  measuredAt: z.iso.datetime(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number().int().min(1),
    memoryMiB: z.number().int().min(1),
  }),
  engine: EngineSettings,
  /** Empty if the engine is modelled. */
  networks: z.array(NetworkTimes).max(64),
  lanes: z.array(LaneProfile).min(1).max(16),
  /** Decoding an image, as CPU time of one core, times a factor of this distribution. */
  preparation: z.object({
    imageMs: z.number().nonnegative(),
    megapixelMs: z.number().nonnegative(),
    megabyteMs: z.number().nonnegative(),
    factors: Quantiles,
    /** Sizes of the images that were decoded. Null: nothing is decoded. */
    measuredSizes: z.object({ bytes: Range, pixels: Range }).nullable(),
  }),
});
export type Profile = z.infer<typeof Profile>;
export type LaneProfile = Profile["lanes"][number];
