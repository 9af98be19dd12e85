import assert from "node:assert/strict";
import test from "node:test";
import { EventQueue } from "@faceline/batcher/simulation/event-queue";
import { Random } from "@faceline/batcher/simulation/random";
import type { Profile } from "@faceline/contracts/stored/profile";
import { LaneId } from "@faceline/contracts/wire/ids";
import { newProfile } from "../../testing/fixtures.ts";
import { SimulatedMachines } from "./simulated-machines.ts";

/** When each of three runs of 20 ms ends that begin at once on one core, in ms. */
function endsOfThreeRuns(changes: { cpuShare: number; service: Partial<Profile["service"]> }): number[] {
  const profile = newProfile({ machine: { cpu: "modelled", cores: 1, memoryMiB: 1_024 } });
  const { cpuShare } = changes;
  const lane = { ...profile.lanes[0]!, runs: [{ size: 1, ms: [20, 20] }], cpuShare };
  const events = new EventQueue(0);
  const machines = new SimulatedMachines({
    profile: { ...profile, lanes: [lane], service: { ...profile.service, ...changes.service } },
    events,
    random: new Random(1),
    machines: 1,
    clientIsHere: false,
    pictureOf: () => ({ bytes: 0, pixels: 0 }),
  });
  const work = machines.work(0);
  const ends: number[] = [];
  for (let run = 0; run < 3; run++) {
    work.run(lane.lane, 1, () => (ends[run] = Math.round(events.now)));
  }
  while (events.runNext(1_000));
  return ends;
}

test("runs share the core, and what one waits beyond its share is less the more jobs are there", () => {
  const handoverMoreMs = [120, 120];
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: {} }), [60, 60, 60]);
  // The first begins on an idle machine, the second beside one job, the third beside two.
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: { handoverMoreMs } }), [60, 120, 100]);
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 0, service: { handoverMoreMs } }), [140, 140, 140]);
});

test("runs take as many times as long as they do in the service", () => {
  const runFactors = { [LaneId.parse("Dlib/ssd")]: 1.5 };
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: { runFactors } }), [90, 90, 90]);
});

test("the handover of a run is computing where the run is", () => {
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 1, service: { handoverMs: 10 } }), [90, 90, 90]);
  assert.deepEqual(endsOfThreeRuns({ cpuShare: 0, service: { handoverMs: 10 } }), [30, 30, 30]);
});
