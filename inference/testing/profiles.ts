import { Profile } from "@faceline/contracts/stored/profile";
import { laneId } from "@faceline/contracts/wire/ids";

export const profiledLane = laneId("Dlib", "ssd");
export const profileDigest = "0123456789abcdef";
/** SHA-256 of its file. */
export const profiledNetwork = "a".repeat(64);

/** The profile of a machine with two cores, measured with the defaults of a worker. */
export const newProfile = (changes: object = {}): Profile =>
  Profile.parse({
    format: "faceline-profile",
    version: 5,
    measuredAt: "2026-01-01T00:00:00Z",
    machine: { cpu: "EPYC", cores: 2, memoryMiB: 1_024 },
    engine: { intraOpThreads: 1, detectorChunkMax: 4, faceChunkMax: 16 },
    networks: [{ name: "ssd", sha256: profiledNetwork, sizes: [{ size: 1, runMs: 7 }] }],
    lanes: [
      {
        lane: profiledLane,
        digest: profileDigest,
        precision: "float32",
        executionProvider: "cpu",
        runs: [
          { size: 1, ms: [25, 27, 90] },
          { size: 2, ms: [45, 48, 95] },
        ],
        contention: [1],
        cpuShare: 1,
      },
    ],
    preparation: { imageMs: 1, megapixelMs: 0, megabyteMs: 0, factors: [1, 1], measuredSizes: null },
    ...changes,
  });
