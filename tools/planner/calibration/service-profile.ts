import type { CallCpu, LaneProfile, Profile } from "@faceline/contracts/stored/profile";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { decodeMsAt, meanOf, runsOnCores, slowdownOf } from "../profile/lane-times.ts";
import { quantilesOf } from "../profile/quantiles.ts";
import { countOf, type RunCounts } from "../replay/run-counts.ts";
import type { PictureSize } from "../trace/trace.ts";
import { nonNegativeWeights } from "./least-squares.ts";
import { runGapMs } from "./run-gap.ts";
import type { CallTimes, LoadSample, ServiceSamples } from "./service-samples.ts";

/**
 * Returns what a service takes around the engine: hops and fetching from single calls, CPU time from the
 * loads. Of the CPU time that the machine used, that of the runs is counted by the workers, or known from the
 * calibration of the engine as that of the decodes is; what is left is the rest of the service.
 * `picture`: the size of the pictures of the single calls.
 */
export function serviceProfile(
  { single, singleRuns, loads: allLoads }: ServiceSamples,
  profile: Profile,
  { lane, picture }: { lane: LaneProfile; picture: PictureSize },
): Profile["service"] {
  const loads = allLoads.filter((load) => load.lane === lane.lane);
  const runFactors = runFactorsOf(allLoads, profile);
  const part = (name: keyof CallTimes["parts"]) => medianOf(single.map(({ parts }) => parts[name] ?? 0));
  const aroundMs = ({ tookMs, parts }: CallTimes) =>
    tookMs - ["hold", "queue", "retry", "prepare", "run"].reduce((sum, name) => sum + partOf(parts, name), 0);
  // The clocks of a call may disagree by a little.
  const around = single.map((call) => Math.max(leastCallMs, aroundMs(call)));
  const median = medianOf(around);
  const factors = quantilesOf(around.map((ms) => ms / median));
  const hopMs = part("hop");
  const intakeMs = part("admission") + part("publish") + hopMs * tasksHopShare;
  const toWorkerMs = hopMs * batchHopShare;
  const decodeMs = decodeMsAt(profile, picture, 0.5);
  const stretches = loads.map(({ busyCores }) => stretchAt(profile, busyCores));
  const runs = countOf(singleRuns);
  // A call whose pictures run in two batches has them side by side.
  const beside = slowdownOf(profile)[runs > 1.5 * single.length ? 1 : 0] ?? 1;
  const factor = beside * (runFactors[lane.lane] ?? 1);
  const expectedMs = runs === 0 ? part("run") : (factor * aloneMs(lane, singleRuns)) / runs;
  const handoverMs = Math.max(0, part("run") - expectedMs);
  return {
    ...profile.service,
    isMeasured: true,
    intakeMs,
    toWorkerMs,
    reportMs: hopMs * (1 - tasksHopShare - batchHopShare),
    replyMs: Math.max(0, median - intakeMs - toWorkerMs),
    factors,
    idleFactors: factors,
    fetchMs: Math.max(0, part("prepare") - decodeMs),
    runFactors,
    handoverMs,
    turnAroundMs: turnAroundMs(loads),
    cpu: callCpu(loads, (load, index) => {
      const stretch = stretches[index]!;
      const { runs } = load.counts;
      const engineMs = engineCpuMs(runs) ?? stretch * lane.cpuShare * aloneMs(lane, runs);
      return (load.busyMs - engineMs) / stretch - load.calls * load.pictures * meanDecodeMs(profile, load);
    }),
    perSecond: Math.max(
      ...loads.map(({ pictures, calls, tookMs }) => (pictures === 2 ? (1_000 * calls) / tookMs : 0)),
    ),
    clientCpu: callCpu(loads, ({ ownMs }, index) => ownMs / stretches[index]!),
  };
}

/** What is doubtful of the service in a profile, for those who use it; undefined where nothing shows it. */
export function serviceFault(profile: Profile): string | undefined {
  const { service } = profile;
  if (service.isMeasured && runsOnCores(profile) && service.handoverMoreMs.some((ms) => ms > 0)) {
    return "The service was calibrated by an earlier version, which measured waits in another way: calibrate it again.";
  }
  const { callMs, pictureMs, megabyteMs } = service.cpu;
  // A fit is never all 0: that is a modelled machine.
  const isFit = service.isMeasured && callMs + pictureMs + megabyteMs > 0;
  const fault = isFit ? fitFault(service) : undefined;
  return fault === undefined ? undefined : `The profile is doubtful around the engine. ${fault}`;
}

/**
 * The first load of each lane is that of usual calls. Empty beside an engine that does not compute on the
 * cores.
 */
function runFactorsOf(loads: readonly LoadSample[], profile: Profile): Record<LaneId, number> {
  const factors: Record<LaneId, number> = {};
  if (!runsOnCores(profile)) return factors;
  for (const lane of profile.lanes) {
    const load = loads.find((each) => each.lane === lane.lane);
    // The last runs of the load before may be of another lane.
    const runs = load?.counts.runs.filter((each) => each.lane === lane.lane) ?? [];
    const engineMs = engineCpuMs(runs);
    if (load === undefined || engineMs === undefined) continue;
    const expectedMs = stretchAt(profile, load.busyCores) * lane.cpuShare * aloneMs(lane, runs);
    if (engineMs > 0 && expectedMs > 0) factors[lane.lane] = engineMs / expectedMs;
  }
  return factors;
}

/** CPU time of the engines, in ms; undefined where no run was counted or the service does not say it. */
function engineCpuMs(runs: readonly RunCounts[]): number | undefined {
  const times = runs.flatMap(({ cpuMs }) => cpuMs ?? []);
  return times.length === runs.length && times.length > 0 ? sumOf(times) : undefined;
}

/** Says, in a sentence, that a fit of CPU times cannot be right; undefined where nothing shows it. */
export function fitFault({ cpu }: Profile["service"]): string | undefined {
  if (cpu.callMs > 0 && cpu.pictureMs > 0) return undefined;
  const what = cpu.callMs > 0 ? "picture" : "call";
  return (
    `A ${what} takes no CPU time of its own in this fit, which cannot be: other work was measured too, or the ` +
    "loads were too short. Measure again, with more --seconds and nothing else running."
  );
}

/**
 * Says, in a sentence, that runs in the service were so much longer than in the calibrated engine that the
 * two cannot belong together; undefined where they can.
 */
export function runsFault(
  { handoverMs, runFactors }: Profile["service"],
  lane: LaneProfile,
): string | undefined {
  const factor = runFactors[lane.lane] ?? 1;
  if (factor > runFactorMax || factor < 1 / runFactorMax) {
    return (
      `Runs in the service took ${factor.toFixed(2)} times the CPU time of those of the calibrated engine. ` +
      "That cannot be: the service has another engine, other models or other settings of the engine."
    );
  }
  const longestMs = meanOf(lane.runs.at(-1)!.ms);
  if (handoverMs <= longestMs) return undefined;
  return (
    `Runs in the service took ${handoverMs.toFixed(0)} ms longer than in the calibrated engine, where the largest ` +
    `batch takes ${longestMs.toFixed(0)} ms. That cannot be: other work was measured too, or the service runs ` +
    "another lane."
  );
}

/** Splits the CPU time of loads into that of calls, of pictures and of megabytes. */
function callCpu(loads: readonly LoadSample[], cpuMs: (load: LoadSample, index: number) => number): CallCpu {
  const rows = loads.map(({ pictures, bytes }) => [1, pictures, bytes / 1_000_000]);
  // Where the engine's part was overestimated, something must be left.
  const values = loads.map((load, index) =>
    Math.max(leastCallMs, cpuMs(load, index) / Math.max(1, load.calls)),
  );
  const [callMs, pictureMs, megabyteMs] = nonNegativeWeights(rows, values) as [number, number, number];
  return { callMs, pictureMs, megabyteMs };
}

/** The least time between runs under a load that left workers no rest; 0 where none did. */
function turnAroundMs(loads: readonly LoadSample[]): number {
  const gaps = loads.flatMap(({ middle: { utilisation = 0, runs } }) => {
    if (utilisation < fullLoadMin || runs.length === 0) return [];
    return runGapMs(sumOf(runs.map(({ ms }) => ms)) / countOf(runs), utilisation);
  });
  return gaps.length === 0 ? 0 : Math.min(...gaps);
}

/** How long so many runs of each size take alone, together. */
function aloneMs(lane: LaneProfile, runs: readonly RunCounts[]): number {
  let sum = 0;
  for (const { size, count } of runs) {
    const measured = lane.runs.find((each) => each.size === size);
    // A size that was not calibrated: as long in proportion as the largest that was.
    const largest = lane.runs.at(-1)!;
    sum +=
      count * (measured === undefined ? (size / largest.size) * meanOf(largest.ms) : meanOf(measured.ms));
  }
  return sum;
}

function meanDecodeMs(profile: Profile, { bytes, pictures, pixels }: LoadSample): number {
  const size = { bytes: bytes / pictures, pixels };
  return (
    decodeMsAt({ ...profile, preparation: { ...profile.preparation, factors: [1, 1] } }, size, 0) *
    meanOf(profile.preparation.factors)
  );
}

/** How many times its CPU time alone a job takes while so many cores are busy: on the line between counts. */
function stretchAt(profile: Profile, busyCores: number): number {
  const slowdown = slowdownOf(profile);
  const place = Math.max(0, Math.min(slowdown.length, busyCores, profile.machine.cores) - 1);
  const below = slowdown[Math.floor(place)]!;
  return below + (place - Math.floor(place)) * ((slowdown[Math.floor(place) + 1] ?? below) - below);
}

const partOf = (parts: CallTimes["parts"], name: string): number => parts[name as keyof typeof parts] ?? 0;

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, each) => sum + each, 0);

const medianOf = (values: readonly number[]): number => quantilesOf(values, 2)[1]!;

/** Tasks and batch go through Kafka, the answer and the reports through Redis. */
const tasksHopShare = 0.45;
const batchHopShare = 0.45;
const leastCallMs = 0.1;
/** Shared caches, the pace of a machine and the division of batches make less of a difference. */
const runFactorMax = 2.5;
/** Share of the time in which workers run, from which on they are taken to have no rest. */
const fullLoadMin = 0.85;
