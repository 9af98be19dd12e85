import assert from "node:assert/strict";
import test from "node:test";
import { EventQueue } from "@faceline/simulation/event-queue";
import { Random } from "@faceline/simulation/random";
import type { MachinePace, Profile } from "@faceline/contracts/stored/profile";
import { LaneId } from "@faceline/contracts/wire/ids";
import { newProfile } from "../testing/fixtures.ts";
import { SimulatedMachines } from "./simulated-machines.ts";

/** When each of three runs of 20 ms ends that begin at once, in ms. On one core by default. */
const endsOfThreeRuns = (changes: RunChanges): number[] => threeRuns(changes).ends;

/** `cpuMs`: CPU time of the engine for each run. */
function threeRuns(changes: RunChanges): { ends: number[]; cpuMs: number[] } {
  const { cpuShare, cores = 1, quantile } = changes;
  const { machinePace } = changes;
  const machine = { cpu: "modelled", cores, memoryMiB: 1_024, ...(machinePace && { pace: machinePace }) };
  const profile = newProfile({ machine });
  const lane = { ...profile.lanes[0]!, runs: [{ size: 1, ms: [20, 20] }], cpuShare };
  const events = new EventQueue(0);
  const random = new Random(1);
  if (quantile !== undefined) random.next = () => quantile;
  const cpuMs: number[] = [];
  const machines = new SimulatedMachines({
    profile: { ...profile, lanes: [lane], service: { ...profile.service, ...changes.service } },
    events,
    random,
    machines: 1,
    clientIsHere: false,
    pace: changes.pace ?? 1,
    pictureOf: () => ({ bytes: 0, pixels: 0 }),
    runComputed: (_lane, _size, ms) => void cpuMs.push(Math.round(ms)),
  });
  const work = machines.work(0);
  const ends: number[] = [];
  for (let run = 0; run < 3; run++) {
    work.run(lane.lane, 1, () => (ends[run] = Math.round(events.now)));
  }
  while (events.runNext(1_000));
  return { ends, cpuMs };
}

type RunChanges = {
  cpuShare: number;
  service: Partial<Profile["service"]>;
  pace?: number;
  machinePace?: MachinePace;
  cores?: number;
  /** Of each distribution that is drawn from. */
  quantile?: number;
};

test("runs share the cores; where one is free, they wait beyond that, and where none is, only in pauses", () => {
  // Waits of up to 10 times the CPU time of 20 ms.
  const service = { runWaitShares: [0, 10] };
  const endsAt = (quantile: number, cores: number) =>
    threeRuns({ cpuShare: 1, service, cores, quantile }).ends.map((at) => at - (cores === 1 ? 60 : 30));
  // The first begins on an idle machine, the second beside one job, the third beside two.
  assert.deepEqual(endsAt(0.5, 2), [0, 100, 0]);
  assert.deepEqual(endsAt(0.5, 1), [0, 0, 0]);
  assert.deepEqual(endsAt(0.95, 2), [0, 190, 10]);
  const beside = threeRuns({ cpuShare: 0, service: { handoverMoreMs: [120, 120] } });
  assert.deepEqual(beside.ends, [140, 140, 140]);
});

test("runs take as many times as long as they do in the service", () => {
  const runFactors = { [LaneId.parse("Dlib/ssd")]: 1.5 };
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: { runFactors } }), [90, 90, 90]);
});

test("at a slower pace runs take more CPU time; their waits and handover are none of the engine's", () => {
  const service = { handoverMs: 10, runWaitShares: [0, 10] };
  assert.deepEqual(threeRuns({ cpuShare: 1, service }).cpuMs, [20, 20, 20]);
  assert.deepEqual(threeRuns({ cpuShare: 1, service, pace: 1.5 }).cpuMs, [30, 30, 30]);
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: {}, pace: 1.5 }), [90, 90, 90]);
  assert.deepEqual(threeRuns({ cpuShare: 0, service, pace: 1.5 }).cpuMs, [0, 0, 0]);
  // A machine of which the calibration has a pace over time is slower by as much.
  const machinePace = { everyMs: 1_000, factors: [2] };
  assert.deepEqual(threeRuns({ cpuShare: 1, service, pace: 1.5, machinePace }).cpuMs, [60, 60, 60]);
});

test("the handover of a run is computing where the run is", () => {
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: { handoverMs: 10 } }), [90, 90, 90]);
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 0, service: { handoverMs: 10 } }), [30, 30, 30]);
});
