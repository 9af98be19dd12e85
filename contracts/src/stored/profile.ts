import * as z from "zod";
import { LaneId } from "../wire/ids.ts";
import { LaneDigest } from "../wire/lane-build.ts";

/** Times in ms at equal steps of their distribution, from the least to the greatest. */
const Quantiles = z.array(z.number().nonnegative().finite()).min(2).max(101);

const BatchSize = z.number().int().min(1).max(1_024);

/**
 * The smallest batch size that reaches 95 % of the best throughput. `undecided`: smaller ones of which the
 * measurement did not show whether they reach it as well; they take less time to answer.
 */
const UsefulSize = z.object({ size: BatchSize, undecided: z.array(BatchSize).max(16) });
export type UsefulSize = z.infer<typeof UsefulSize>;

/** Measurements of a lane on a machine. */
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
        /** Time of its networks alone, as a worker reports it at its start. */
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
  usefulSize: UsefulSize.nullable().default(null),
});

/**
 * How many times as long as usual the machine took for the same work, in stretches of `everyMs` one after the
 * other. It changes where a machine shares its cores with others.
 */
const MachinePace = z.object({
  everyMs: z.number().positive().finite(),
  factors: z.array(z.number().positive().finite()).min(1).max(4_000),
});
export type MachinePace = z.infer<typeof MachinePace>;

/** Least and most. */
const Range = z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]);

/** The times of a network's warm runs, from which a worker divides batches into runs. */
const NetworkTimes = z.object({
  name: z.string(),
  /** Digest of its file. */
  sha256: z.hash("sha256"),
  sizes: z
    .array(z.object({ size: BatchSize, runMs: z.number().nonnegative() }))
    .min(1)
    .max(16),
});
export type NetworkTimes = z.infer<typeof NetworkTimes>;

/** Settings of the engine that run times depend on: INTRA_OP_THREADS and so on. */
const EngineSettings = z.object({
  intraOpThreads: z.number().int().min(1),
  detectorChunkMax: z.number().int().min(1),
  faceChunkMax: z.number().int().min(1),
});
export type EngineSettings = z.infer<typeof EngineSettings>;

/** CPU time in ms: of a call, of each of its pictures, and of each megabyte of them. */
const CallCpu = z.object({
  callMs: z.number().nonnegative(),
  pictureMs: z.number().nonnegative(),
  megabyteMs: z.number().nonnegative(),
});
export type CallCpu = z.infer<typeof CallCpu>;

/**
 * A machine as a prediction and a starting worker see it: how long each step takes there. Version 4. Version
 * 3 lacks `engine`, `networks` and the useful sizes, version 2 `preparation.measuredSizes` as well; both are
 * read. `noise` is how many cores other programs and the hypervisor took during the measurement; with
 * `acceptedNoise` it was more than calibration accepts, and every prediction says so.
 */
export const Profile = z.object({
  format: z.literal("faceline-profile"),
  version: z.literal([2, 3, 4]).transform(() => 4 as const),
  measuredAt: z.iso.datetime(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number().int().min(1),
    memoryMiB: z.number().int().min(1),
    /** Undefined: always the same, or not known. The run times of lanes are those at the usual pace. */
    pace: MachinePace.optional(),
  }),
  noise: z.number().min(0),
  acceptedNoise: z.boolean(),
  /** Null: not known. */
  engine: EngineSettings.nullable().default(null),
  /** Empty where the engine is modelled, or they are not known. */
  networks: z.array(NetworkTimes).max(64).default([]),
  lanes: z.array(LaneProfile).min(1).max(16),
  /** Decoding a picture, as CPU time of one core, times a factor of this distribution. */
  preparation: z.object({
    pictureMs: z.number().nonnegative(),
    megapixelMs: z.number().nonnegative(),
    megabyteMs: z.number().nonnegative(),
    factors: Quantiles,
    /** Ranges of the pictures that were decoded. Null: not known, or nothing is decoded. */
    measuredSizes: z.object({ bytes: Range, pixels: Range }).nullable().default(null),
  }),
  /** Everything around the engine. */
  service: z.object({
    /** False: typical values stand here, because no running service was measured. */
    isMeasured: z.boolean(),
    /** Time from the client's call to the batcher, on an idle service: the ingress and Kafka. */
    intakeMs: z.number().nonnegative(),
    toWorkerMs: z.number().nonnegative(),
    reportMs: z.number().nonnegative(),
    /** Time from the end of a run to the client. */
    replyMs: z.number().nonnegative(),
    /**
     * How many times as long a hop takes while something else is on the cores: under a steady load, or of
     * single calls before that.
     */
    factors: Quantiles,
    /** The same while nothing is: of single calls. */
    idleFactors: Quantiles.default([1, 1]),
    /** Least time until the images of a batch are in the worker. */
    fetchMs: z.number().nonnegative(),
    /** Further time of fetching under a steady load while something was on the cores, in ms. */
    fetchMoreMs: Quantiles.default([0, 0]),
    /**
     * How many times the CPU time of the calibrated engine a run takes in a busy service, by lane: others use
     * the caches there. A lane that is missing: 1.
     */
    runFactors: z.record(LaneId, z.number().positive()).default({}),
    /** Further time of a run in a worker: to its thread, and back. */
    handoverMs: z.number().nonnegative(),
    /** Further time of runs under such a load, in ms, where the engine leaves the cores to others. */
    handoverMoreMs: Quantiles.default([0, 0]),
    /**
     * How long runs on the cores waited under such a load beyond their share of the cores, as a share of
     * their CPU time.
     */
    runWaitShares: Quantiles.default([0, 0]),
    /** Time between two runs of a worker under full load, beyond waits for the next batch. */
    turnAroundMs: z.number().nonnegative(),
    /** Pictures that a worker decodes at a time: DECODES_MAX. */
    decodesMax: z.number().int().min(1),
    /** CPU time of ingress, batcher, Kafka, Redis and the workers beside decoding and runs. */
    cpu: CallCpu,
    /** Calls with two pictures that it answered in a second when many came. */
    perSecond: z.number().nonnegative(),
    /** CPU time of a client on the same machine. */
    clientCpu: CallCpu,
  }),
});
export type Profile = z.infer<typeof Profile>;
export type LaneProfile = Profile["lanes"][number];
