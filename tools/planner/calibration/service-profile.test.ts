import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { newProfile } from "../testing/fixtures.ts";
import type { RunCounts } from "../replay/run-counts.ts";
import { fitFault, runsFault, serviceFault, serviceProfile } from "./service-profile.ts";
import type { CallTimes, LoadSample } from "./service-samples.ts";

const picture = { bytes: 41_000, pixels: 327_680 };
const profile = newProfile({ machine: { cpu: "modelled", cores: 2, memoryMiB: 1_024 } });
// Two runs side by side take a quarter longer than one.
const lane = { ...profile.lanes[0]!, contention: [1, 1.25] };
profile.lanes = [lane];

/** Each of the three calls was one run. */
const singleRuns = [runsOf(3)];

test("hops and fetching are what single calls take beside waiting, decoding and the run", () => {
  const { intakeMs, toWorkerMs, reportMs, replyMs, fetchMs, handoverMs, factors, isMeasured } =
    serviceProfile({ single: [0.8, 1, 1.2].map(singleCall), singleRuns, loads: [load({})] }, profile, {
      lane,
      picture,
    });
  const rounded = [intakeMs, toWorkerMs, reportMs, replyMs, fetchMs, handoverMs].map((ms) =>
    Number(ms.toFixed(6)),
  );
  // Admission 1, publish 2, hops 10 of which tasks and batch 4.5 each; 16 ms beside preparation and run.
  assert.deepEqual(rounded, [7.5, 4.5, 1, 4, 2, 1]);
  assert.ok(Math.abs(factors[0]! - 0.8) < 1e-9 && Math.abs(factors.at(-1)! - 1.2) < 1e-9 && isMeasured);
});

test("the CPU time of a call is what runs and decodes leave of that of the machine, as if it were alone", () => {
  // A call takes 2 ms, each picture 1 and each megabyte 5, around the engine; decoding a picture 1.5.
  const runs = [runsOf(100)];
  const loads = [
    { pictures: 1, bytes: 41_000 },
    { pictures: 2, bytes: 82_000 },
    { pictures: 1, bytes: 441_000 },
  ].map(({ pictures, bytes }) => {
    const aroundMs = 2 + pictures + (5 * bytes) / 1_000_000;
    const busyMs = 1.25 * (100 * (aroundMs + 1.5 * pictures) + 100 * 22);
    return load({ pictures, bytes, busyMs, ownMs: 1.25 * 50, runs });
  });
  const { cpu, clientCpu, perSecond } = serviceProfile(
    { single: [singleCall(1)], singleRuns, loads },
    profile,
    {
      lane,
      picture,
    },
  );
  const rounded = (values: object) => Object.values(values).map((ms) => Number(ms.toFixed(3)));
  assert.deepEqual(rounded(cpu), [2, 1, 5]);
  assert.deepEqual(rounded(clientCpu), [0.5, 0, 0]);
  assert.equal(perSecond, 50);
});

test("where workers count the CPU time of runs, what is left does not depend on the profile's runs", () => {
  // Runs took half of what the profile says: 2 ms of each call and 1 ms of each picture are left around them.
  const loads = [1, 2, 4].map((pictures) => {
    const aroundMs = 100 * (2 + pictures + 1.5 * pictures);
    const runs = [runsOf(100, { cpuMs: 1_100 })];
    return load({ pictures, bytes: 0, busyMs: 1.25 * aroundMs + 1_100, runs });
  });
  const samples = { single: [singleCall(1)], singleRuns, loads };
  const { cpu } = serviceProfile(samples, profile, { lane, picture });
  assert.deepEqual([cpu.callMs.toFixed(3), cpu.pictureMs.toFixed(3)], ["2.000", "1.000"]);
});

test("runs have the CPU time that they take in the busy service, each lane that of its own load", () => {
  const other = { ...lane, lane: LaneId.parse("Dlib/tiny") };
  const lanes = [lane, other];
  // A run alone takes 22 ms, and a quarter longer beside another one, as in these loads.
  const first = load({ runs: [runsOf(100, { cpuMs: 1.25 * 2_420 })], busyMs: 3_525 });
  const large = load({ runs: [runsOf(100, { cpuMs: 3_000 })], bytes: 882_000, busyMs: 3_500 });
  const left = runsOf(1, { cpuMs: 1_000 });
  const runsOfOther = runsOf(100, { lane: other.lane, cpuMs: 1.25 * 2_640 });
  const second = load({ lane: other.lane, runs: [left, runsOfOther], calls: 500 });
  const profileOf = (changes: { cpuShare: number }, loads = [first, large, second]) =>
    serviceProfile(
      { single: [singleCall(1)], singleRuns, loads },
      { ...profile, lanes: lanes.map((each) => ({ ...each, ...changes })) },
      { lane, picture },
    );
  const { runFactors, handoverMs, perSecond, cpu } = profileOf({ cpuShare: 1 });
  assert.deepEqual(
    lanes.map((each) => runFactors[each.lane]!.toFixed(3)),
    ["1.100", "1.200"],
  );
  // The run of a single call took 23 ms, which is less than 1.1 times 22.
  assert.equal(handoverMs, 0);
  // Of the first lane alone.
  const withoutOther = profileOf({ cpuShare: 1 }, [first, large]);
  assert.deepEqual([perSecond, cpu], [withoutOther.perSecond, withoutOther.cpu]);
  assert.deepEqual(profileOf({ cpuShare: 0.02 }).runFactors, {});
});

test("a fit in which a call or a picture takes no CPU time is not to be trusted", () => {
  const faultOf = (cpu: object) => fitFault({ ...profile.service, cpu: { ...profile.service.cpu, ...cpu } });
  assert.equal(faultOf({ callMs: 2, pictureMs: 1 }), undefined);
  assert.match(faultOf({ callMs: 0, pictureMs: 6.71 })!, /^A call takes no CPU time/);
  assert.match(faultOf({ callMs: 2, pictureMs: 0 })!, /^A picture takes no CPU time/);
});

test("a service that an earlier version calibrated on cores is named; beside an engine its waits mean the same", () => {
  const service = { ...profile.service, isMeasured: true, handoverMoreMs: [0, 12] };
  assert.match(serviceFault({ ...profile, service })!, /by an earlier version/);
  const beside = { ...profile, lanes: [{ ...lane, cpuShare: 0.02 }] };
  assert.equal(serviceFault({ ...beside, service }), undefined);
});

test("a service with another engine than the calibrated one is named", () => {
  const faultOf = (factor: number) =>
    runsFault({ ...profile.service, runFactors: { [lane.lane]: factor } }, lane);
  // Dlib/tiny took so much on two cores of an EPYC, with the same engine.
  assert.equal(faultOf(0.62), undefined);
  assert.match(faultOf(0.02)!, /0\.02 times the CPU time .* another engine/);
  assert.match(faultOf(3)!, /3\.00 times the CPU time .* another engine/);
});

test("what workers do not run of a load that leaves them no rest lies between their runs", () => {
  const turnAroundOf = (utilisation: number) => {
    const busy = load({
      middle: { meanBatch: 1, utilisation, runs: [runsOf(100, { ms: 2_300 })], forMs: 2_000 },
    });
    const samples = { single: [singleCall(1)], singleRuns, loads: [load({}), busy] };
    return serviceProfile(samples, profile, { lane, picture }).turnAroundMs;
  };
  assert.equal(Number(turnAroundOf(0.92).toFixed(6)), 2);
  assert.equal(turnAroundOf(0.5), 0);
});

test("a load in which nothing is left for the service counts as little, and not as less than nothing", () => {
  const { cpu } = serviceProfile(
    { single: [singleCall(1)], singleRuns, loads: [load({ busyMs: 0 })] },
    profile,
    {
      lane,
      picture,
    },
  );
  assert.ok(cpu.callMs > 0 && cpu.callMs < 0.2 && cpu.pictureMs === 0);
});

/** `factor`: of everything around the engine. */
function singleCall(factor: number): CallTimes {
  const around = { admission: 1, publish: 2, hop: 10, answer: 0.5, gather: 0.5 };
  const parts = Object.fromEntries(Object.entries(around).map(([name, ms]) => [name, factor * ms]));
  // 2 ms of the 16 are the client's.
  return { tookMs: factor * 16 + 3.5 + 23, parts: { ...parts, prepare: 3.5, run: 23 } };
}

/** Of one picture each. A worker that does not say their CPU time, if it is not given. */
function runsOf(count: number, changes: Partial<RunCounts> = {}): RunCounts {
  return { lane: lane.lane, size: 1, count, ms: 0, cpuMs: undefined, ...changes };
}

function load({ runs = [], ...changes }: LoadChanges): LoadSample {
  const counts = { meanBatch: 1, utilisation: 0.5, runs, forMs: 2_000 };
  return {
    lane: lane.lane,
    pictures: 2,
    bytes: 82_000,
    pixels: 327_680,
    calls: 100,
    tookMs: 2_000,
    busyMs: 2_000,
    ownMs: 0,
    busyCores: 2,
    counts,
    middle: counts,
    ...changes,
  };
}

type LoadChanges = Partial<LoadSample> & { runs?: RunCounts[] };
