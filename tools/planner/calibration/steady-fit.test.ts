import assert from "node:assert/strict";
import test from "node:test";
import type { Profile } from "@faceline/contracts/stored/profile";
import { newProfile } from "../testing/fixtures.ts";
import { predict, type RunTimes } from "../prediction/predict.ts";
import { wholeTrace } from "../trace/trace-part.ts";
import { fitToSteadyLoad, steadyTraffic } from "./steady-fit.ts";
import type { SteadyReplay } from "./steady-load.ts";

/** A machine with two cores whose runs always take the same. */
const profile = newProfile({ machine: { cpu: "modelled", cores: 2, memoryMiB: 1_024 } });
const lane = { ...profile.lanes[0]!, runs: [1, 2, 4].map((size) => ({ size, ms: [10 * size, 10 * size] })) };
profile.lanes = [{ ...lane, contention: [1, 1] }];
profile.service.perSecond = 60;
const traffic = { lane: lane.lane, picture: { bytes: 41_000, pixels: 327_680 }, seconds: 20 };
const settings = { workers: 2, batchMax: 4, utilisationTarget: 0.85 };

test("the slow moments of a load become CPU time of runs in the mean, and not waits", () => {
  const { service } = fit([0.9, 1.3].map((pace) => replayAt(pace)));
  assert.ok(Math.abs(service.runFactors[lane.lane]! - 1.1) < 0.02, `${service.runFactors[lane.lane]}`);
  assert.ok(meanOf(service.runWaitShares) < 0.05, `${meanOf(service.runWaitShares)}`);
});

test("where workers do not say the CPU time of runs, slow moments can only be waits", () => {
  const slow = replayAt(1.3);
  const { service } = fit([{ ...slow, counts: slow.counts.map((each) => ({ ...each, cpuMs: undefined })) }]);
  assert.deepEqual(service.runFactors, {});
  assert.ok(meanOf(service.runWaitShares) > 0.2, `${meanOf(service.runWaitShares)}`);
});

test("an engine beside the cores has no pace", () => {
  const beside = { ...profile, lanes: [{ ...profile.lanes[0]!, cpuShare: 0.02 }] };
  assert.deepEqual(fit([replayAt(1, beside)], beside).service.runFactors, {});
});

const fit = (replays: SteadyReplay[], of = profile): Profile =>
  fitToSteadyLoad(of, replays, { traffic, settings, clientIsHere: true });

/** The steady load of a machine like that of the profile, at another pace. */
function replayAt(pace: number, of = profile): SteadyReplay {
  const trace = steadyTraffic(of, traffic);
  const [serviceMs, runs]: [number[], RunTimes[]] = [[], []];
  const { meanRunCpuMs } = predict(trace, of, settings, {
    parts: [wholeTrace(trace)],
    clientIsHere: true,
    pace,
    callAnswered: (call) => void serviceMs.push(call.serviceMs),
    runEnded: (run) => void runs.push(run),
  });
  const counts = Object.entries(meanRunCpuMs[lane.lane]!).map(([size, cpuMs]) => ({
    lane: lane.lane,
    size: Number(size),
    count: 1,
    ms: cpuMs,
    cpuMs,
  }));
  return { serviceMs, runs, counts };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;
