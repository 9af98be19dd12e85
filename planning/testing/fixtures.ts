import { LaneId } from "@faceline/contracts/wire/ids";
import type { Profile } from "../src/profile/profile.ts";
import { type DrawnTraffic, drawTraffic } from "../src/trace/drawn-traffic.ts";
import type { Trace } from "../src/trace/trace.ts";

const lane = LaneId.parse("Dlib/ssd");

/** A machine that takes 20 + 2b ms for a batch of b, give or take 10 %. */
export function newProfile(changes: Partial<Profile> = {}): Profile {
  return {
    format: "faceline-profile",
    version: 1,
    measuredAt: "2026-01-01T00:00:00Z",
    machine: { cpu: "modelled", cores: 2, memoryMiB: 1_024 },
    noise: 0,
    acceptedNoise: false,
    lanes: [
      {
        lane,
        digest: "0".repeat(16),
        precision: "float32",
        executionProvider: "model",
        runs: [1, 2, 4, 8].map((size) => ({
          size,
          ms: [0.9, 1, 1.1].map((factor) => factor * (20 + 2 * size)),
        })),
        contention: [1],
        preparation: { alphaMs: 1, betaMs: 0.5, factors: [0.8, 1, 1.2] },
      },
    ],
    hops: { intakeMs: 4, toWorkerMs: 3, reportMs: 3, replyMs: 3, jitter: 0.3 },
    ...changes,
  };
}

export const newTrace = (changes: Partial<DrawnTraffic> = {}): Trace =>
  drawTraffic({
    shape: "poisson",
    seed: 1,
    perSecond: 50,
    seconds: 20,
    tenants: 3,
    lanes: [lane],
    pictures: 2,
    pictureSize: { bytes: 40_000, pixels: 327_680 },
    deadlineMs: 2_000,
    factor: 5,
    ...changes,
  });
