import assert from "node:assert/strict";
import test from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { Log } from "@faceline/runtime/log";
import {
  profileDigest as digest,
  profiledLane as lane,
  newProfile,
  profiledNetwork,
} from "../testing/profiles.ts";
import { openProfileTimes, type WorkerMachine } from "./profile-times.ts";

const here: WorkerMachine = {
  cpu: "EPYC",
  cores: 2,
  executionProvider: "cpu",
  intraOpThreads: 1,
  detectorChunkMax: 4,
  faceChunkMax: 16,
};

test("a worker on the machine of its profile starts with the median run times", () => {
  const { profile, lines } = open();
  assert.deepEqual(profile.times?.lanes.get(digest), [
    { size: 1, runMs: 27 },
    { size: 2, runMs: 48 },
  ]);
  assert.deepEqual(profile.times?.networks.get(profiledNetwork), [{ size: 1, runMs: 7 }]);
  profile.check(loaded());
  assert.deepEqual(lines, ["info: starts with the run times of the profile"]);
});

for (const [name, change, fault] of [
  [
    "another machine",
    { cpu: "Xeon", cores: 4 },
    "the CPU is Xeon, and EPYC in it; the number of cores is 4, and 2 in it",
  ],
  ["another provider", { executionProvider: "cuda" }, "EXECUTION_PROVIDER is cuda, and cpu in it"],
  ["other threads", { intraOpThreads: 2 }, "INTRA_OP_THREADS is 2, and 1 in it"],
  ["other runs", { detectorChunkMax: 8 }, "the largest run of a detector is 8, and 4 in it"],
] as const) {
  test(`a profile of ${name} is not used, and the warning says what differs`, () => {
    const { profile, lines } = open({}, { ...here, ...change });
    assert.equal(profile.times, undefined);
    profile.check(loaded());
    assert.deepEqual(lines, [
      `warn: the profile is not of this worker: run times are measured instead: ${fault}`,
    ]);
  });
}

for (const [name, change, fault] of [
  [
    "other files",
    { build: { digest: "f".repeat(16) } },
    /the build is ffffffffffffffff, and 0123456789abcdef/,
  ],
  ["larger batches", { sizes: [1, 2, 4, 8] }, /it lacks batches of 4, 8/],
  ["another detector", { lane: laneId("Dlib", "blazeface") }, /it has Dlib\/ssd alone/],
] as const) {
  test(`a loaded lane with ${name} is named with what differs`, () => {
    const { profile, lines } = open();
    profile.check(loaded(change));
    assert.match(lines.join(), /^warn: the profile has no run times for this lane as it is loaded: /);
    assert.match(lines.join(), fault);
  });
}

function open(changes: object = {}, machine = here) {
  const lines: string[] = [];
  const write = (level: string) => (fields: { fault?: string }, message: string) =>
    void lines.push(`${level}: ${message}${fields.fault === undefined ? "" : `: ${fields.fault}`}`);
  const log = { info: write("info"), warn: write("warn") } as unknown as Log;
  return { profile: openProfileTimes(newProfile(changes), machine, log), lines };
}

/** A lane as the profile has it, but for `changes`. */
function loaded(changes: LaneChanges = {}): LoadedLane {
  const { sizes = [1, 2], build = {}, ...others } = changes;
  return {
    lane,
    build: { digest, modelVersion: "0".repeat(12), precision: "float32", ...build },
    executionProvider: "cpu",
    precisions: [],
    sizes: sizes.map((size) => ({ size, runMs: 1 })),
    ...others,
  };
}

type LaneChanges = {
  lane?: LoadedLane["lane"];
  build?: Partial<LoadedLane["build"]>;
  sizes?: readonly number[];
};
