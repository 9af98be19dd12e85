import { readFileSync } from "node:fs";
import { LaneId } from "@faceline/contracts/wire/ids";
import { LaneDigest } from "@faceline/contracts/wire/lane-build";
import * as z from "zod";

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
});

/** The least and the greatest. */
const Range = z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]);

/** A machine as a prediction sees it: how long each step takes there. */
export const Profile = z.object({
  format: z.literal("faceline-profile"),
  version: z.literal(6),
  measuredAt: z.iso.datetime(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number().int().min(1),
    memoryMiB: z.number().int().min(1),
  }),
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
