import { readFileSync } from "node:fs";
import { LaneId } from "@faceline/contracts/wire/ids";
import * as z from "zod";

/** Times in ms at equal steps of their distribution, from the least to the greatest. */
const Quantiles = z.array(z.number().nonnegative().finite()).min(2).max(101);

/** What was measured of a lane on a machine. */
const LaneProfile = z.object({
  lane: LaneId,
  /** Of the loaded build, see contracts/src/wire/lane-build.ts. */
  digest: z.string().regex(/^[0-9a-f]{16}$/),
  precision: z.string(),
  executionProvider: z.string(),
  /** Run times of batches by size, in the order of sizes. */
  runs: z
    .array(
      z.object({
        size: z.number().int().min(1).max(1_024),
        ms: Quantiles,
        /** What a worker reports of it at its start: the time of its networks alone. */
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

/** From the least to the most. */
const Range = z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]);

/** CPU time in ms: of a call, of each of its pictures, and of each megabyte of them. */
const CallCpu = z.object({
  callMs: z.number().nonnegative(),
  pictureMs: z.number().nonnegative(),
  megabyteMs: z.number().nonnegative(),
});
export type CallCpu = z.infer<typeof CallCpu>;

/**
 * A machine as a prediction sees it: how long each step takes there. Version 3; version 2, which does not
 * have `preparation.measuredSizes`, is read as well. `noise` is how many cores other programs and the
 * hypervisor took during the measurement; with `acceptedNoise` it was more than calibration accepts, and
 * every prediction says so.
 */
export const Profile = z.object({
  format: z.literal("faceline-profile"),
  version: z.literal([2, 3]).transform(() => 3 as const),
  measuredAt: z.iso.datetime(),
  machine: z.object({ cpu: z.string(), cores: z.number().int().min(1), memoryMiB: z.number().int().min(1) }),
  noise: z.number().min(0),
  acceptedNoise: z.boolean(),
  lanes: z.array(LaneProfile).min(1).max(16),
  /** Decoding a picture, as CPU time of one core, times a factor of this distribution. */
  preparation: z.object({
    pictureMs: z.number().nonnegative(),
    megapixelMs: z.number().nonnegative(),
    megabyteMs: z.number().nonnegative(),
    factors: Quantiles,
    /** Of the pictures that were decoded. Null: not known, or nothing is decoded. */
    measuredSizes: z.object({ bytes: Range, pixels: Range }).nullable().default(null),
  }),
  /** Everything around the engine. */
  service: z.object({
    /** False: typical values stand here, because no running service was measured. */
    isMeasured: z.boolean(),
    /** From the client's call to the batcher, on an idle service: the ingress and Kafka. */
    intakeMs: z.number().nonnegative(),
    toWorkerMs: z.number().nonnegative(),
    reportMs: z.number().nonnegative(),
    /** From the end of a run to the client. */
    replyMs: z.number().nonnegative(),
    /** How many times as long a hop takes: under a steady load, or of single calls before that. */
    factors: Quantiles,
    /** Until the images of a batch are in the worker, at least. */
    fetchMs: z.number().nonnegative(),
    /** What fetching took beyond that under a steady load, in ms. */
    fetchMoreMs: Quantiles.default([0, 0]),
    /** By how much a run in a worker takes longer than in the calibrated engine: to its thread, and back. */
    handoverMs: z.number().nonnegative(),
    /** What runs took beyond that and their share of the cores under a steady load, in ms. */
    handoverMoreMs: Quantiles.default([0, 0]),
    /** Between two runs of a worker under full load. */
    turnAroundMs: z.number().nonnegative(),
    /** Pictures that a worker decodes at a time: DECODES_MAX. */
    decodesMax: z.number().int().min(1),
    /** Of ingress, batcher, Kafka, Redis and the workers beside decoding and runs. */
    cpu: CallCpu,
    /** Calls with two pictures that it answered in a second when many came. */
    perSecond: z.number().nonnegative(),
    /** Of a client on the same machine. */
    clientCpu: CallCpu,
  }),
});
export type Profile = z.infer<typeof Profile>;
export type LaneProfile = Profile["lanes"][number];

/** Returns the sizes that every lane was calibrated with, ascending. */
export function sizesOf({ lanes }: Profile): number[] {
  const sizes = lanes.map(({ runs }) => new Set(runs.map(({ size }) => size)));
  return [...sizes.reduce((common, each) => common.intersection(each))];
}

/** Reads a profile. Throws an Error with a sentence for the operator. */
export function readProfile(file: string): Profile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "is not JSON";
    throw new Error(`The profile ${file} ${reason}. npm run plan -- calibrate makes one.`, { cause: error });
  }
  const { success, data, error } = Profile.safeParse(content);
  if (success) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new Error(`The profile ${file} is not valid at ${path.join(".") || "its top"}: ${message}.`);
}
