import assert from "node:assert/strict";
import test from "node:test";
import { EventQueue } from "@faceline/simulation/event-queue";
import { Random } from "@faceline/simulation/random";
import { newProfile } from "../testing/fixtures.ts";
import { SimulatedMachines } from "./simulated-machines.ts";

/** Returns when each of three runs of 20 ms ends that begin at once on one machine, in ms. */
function endsOfThreeRuns({ cores, cpuShare }: { cores: number; cpuShare: number }): number[] {
  const profile = newProfile({ machine: { cpu: "modelled", cores, memoryMiB: 1_024 } });
  const lane = { ...profile.lanes[0]!, runs: [{ size: 1, ms: [20, 20] }], cpuShare };
  const events = new EventQueue(0);
  const machines = new SimulatedMachines({
    profile: { ...profile, lanes: [lane] },
    events,
    random: new Random(1),
    machines: 1,
    serviceMs: [10, 10],
    imageOf: () => ({ bytes: 0, pixels: 0 }),
  });
  const work = machines.work(0);
  const ends: number[] = [];
  for (let run = 0; run < 3; run++) {
    work.run(lane.lane, 1, () => (ends[run] = Math.round(events.now)));
  }
  while (events.runNext(1_000));
  return ends;
}

test("runs share the cores, and those of an accelerator take none", () => {
  assert.deepEqual(endsOfThreeRuns({ cores: 1, cpuShare: 1 }), [60, 60, 60]);
  assert.deepEqual(endsOfThreeRuns({ cores: 2, cpuShare: 1 }), [30, 30, 30]);
  assert.deepEqual(endsOfThreeRuns({ cores: 1, cpuShare: 0 }), [20, 20, 20]);
});
