import type { LaneProfile, Profile } from "../profile/profile.ts";
import { requestIdOf, taskIndexOf } from "@faceline/contracts/wire/ids";
import type { EventQueue } from "@faceline/simulation/event-queue";
import { Random } from "@faceline/simulation/random";
import { startAt } from "@faceline/simulation/scenario";
import { Simulation } from "@faceline/simulation/simulation";
import type { WorkerModel } from "@faceline/simulation/worker-model";
import { runMsAt, slowdownOf } from "../profile/lane-times.ts";
import { requireMeasuredSizes } from "../profile/measured-sizes.ts";
import type { Trace } from "../trace/trace.ts";
import type { TracePart } from "../trace/trace-part.ts";
import { CallRecorder, type StageTimes } from "./call-recorder.ts";
import { joinParts } from "./joined-parts.ts";
import { assumedServiceMs, hopsOf, SimulatedMachines } from "./simulated-machines.ts";
import { type Measure, missedLimits, type Target } from "./target.ts";

/**
 * Predicts what callers get with these settings: the scheduler of production decides over the calls of parts
 * of a trace, in simulated time, with workers that take as long as the profile's machine did. The same
 * arguments give the same prediction. With a target it stops as soon as that is missed for certain. Throws a
 * RangeError for a lane or a batch size that the profile lacks, and for larger images than were measured.
 */
export function predict(
  trace: Trace,
  profile: Profile,
  settings: PoolSettings,
  plan: PredictionPlan,
): Prediction {
  const { target = {} } = plan;
  requireMeasuredSizes(trace, profile);
  const recorder = new CallRecorder([target.p50 ?? [], target.p99 ?? []].flat());
  const totals: SimulationContext["totals"] = {
    runMs: 0,
    forMs: 0,
    calls: 0,
    tasks: 0,
    batches: 0,
  };
  const missed = simulate({ trace, profile, settings, plan, target, recorder, totals });
  const [p50Ms, p99Ms] = recorder.quantiles(0.5, 0.99) as [number, number];
  const { calls, shed, late, failed } = recorder.counts;
  const share = (count: number) => count / Math.max(1, calls);
  return {
    calls,
    p50Ms,
    p99Ms,
    shed: share(shed),
    late: share(late),
    failed: share(failed),
    meanBatch: totals.tasks / Math.max(1, totals.batches),
    utilisation: totals.runMs / Math.max(1, settings.workers * totals.forMs),
    workerSecondsPer1000: (settings.workers * totals.forMs) / Math.max(1, totals.calls),
    stages: recorder.stages,
    missed,
  };
}

/** Simulates the parts one after the other and returns the limits that are missed for certain. */
function simulate(context: SimulationContext): Measure[] {
  const { trace, profile, settings, plan, target, recorder, totals } = context;
  const { parts } = plan;
  const joined = joinParts(trace, parts);
  const lastAt = startAt + joined.lastAtMs;
  const seed = plan.seed ?? 0;
  const serviceMs = trace.columns.measured?.serviceMs ?? assumedServiceMs;
  const workersPerMachine = slowdownOf(profile).length;
  let machines: SimulatedMachines | undefined;
  const machinesOf = (events: EventQueue): SimulatedMachines =>
    (machines ??= new SimulatedMachines({
      profile,
      events,
      random: new Random(seed + 1),
      machines: Math.ceil(settings.workers / workersPerMachine),
      serviceMs,
      imageOf: (task) => trace.imageOf(joined.callAt(Number(requestIdOf(task))), taskIndexOf(task)),
    }));
  const simulation = new Simulation({
    seed,
    arrivals: joined.arrivals,
    workers: workersOf(trace, profile, settings).map((worker) => ({
      ...worker,
      openWork: ({ events }) => machinesOf(events).work(Math.floor(worker.partition / workersPerMachine)),
    })),
    hops: hopsOf(serviceMs),
    openPath: ({ events }) => machinesOf(events).path(),
    settings: { utilisationTarget: settings.utilisationTarget },
    callEnded: (call) => {
      totals.calls++;
      if (joined.isCounted(Number(requestIdOf(call.tasks[0]!)))) recorder.record(call);
    },
    runEnded: (tasks, { runMs }) => {
      totals.runMs += runMs;
      totals.tasks += tasks;
      totals.batches++;
    },
  });
  const { events, calls } = simulation;
  let [checkAt, idleMs] = [checkEveryCalls, 0];
  for (let at = startAt; at <= lastAt || calls.size > 0; at = events.now) {
    const isIdle = calls.size === 0 && joined.isBetweenParts(at - startAt);
    if (!events.runNext(lastAt + drainMs)) break;
    if (isIdle) idleMs += events.now - at;
    if (recorder.counts.calls < checkAt) continue;
    if (missedLimits(target, recorder, trace.calls).length > 0) break;
    checkAt += checkEveryCalls;
  }
  totals.forMs = events.now - startAt - idleMs;
  return missedLimits(target, recorder, trace.calls);
}

function workersOf(trace: Trace, profile: Profile, settings: PoolSettings): WorkerModel[] {
  const lanes = trace.columns.lanes.map((id) => {
    const lane = profile.lanes.find((each) => each.lane === id);
    if (lane !== undefined) return modelOf(lane, settings.batchMax);
    const known = profile.lanes.map((each) => each.lane).join(", ");
    throw new RangeError(`The trace has requests of ${id}, which the profile lacks. It has: ${known}.`);
  });
  const [first, ...otherLanes] = lanes as [ReturnType<typeof modelOf>];
  return Array.from({ length: settings.workers }, (_, partition) => ({
    ...first,
    otherLanes,
    partition,
    noise: 0,
    warmUpFactor: 1,
    coldStartMs: 3_000,
  }));
}

function modelOf(lane: LaneProfile, batchMax: number) {
  const sizes = lane.runs.map(({ size }) => size).filter((size) => size <= batchMax);
  if (!sizes.includes(batchMax)) {
    throw new RangeError(`Batches of ${batchMax} were not calibrated for ${lane.lane}.`);
  }
  // The lines are not used: the machines take the time.
  const lines = { alpha: 0, beta: 0, prepare: { alpha: 0, beta: 0 } };
  const warmMs = (size: number): number =>
    lane.runs.find((each) => each.size === size)?.warmMs ?? runMsAt(lane, size, 0.5);
  return { lane: lane.lane, sizes, ...lines, warmMs };
}

/** Time after the last arrival in which calls may still end: the longest deadline and some more. */
const drainMs = 130_000;
/** Calls between two checks for a target that is missed already. */
const checkEveryCalls = 1_000;

/** The settings that an operator decides. */
export type PoolSettings = {
  workers: number;
  batchMax: number;
  utilisationTarget: number;
};

export type PredictionPlan = {
  parts: readonly TracePart[];
  seed?: number;
  target?: Target;
};

/** Shares are of all calls; the times are of those that were answered, in time or late. */
export type Prediction = {
  calls: number;
  p50Ms: number;
  p99Ms: number;
  shed: number;
  late: number;
  failed: number;
  meanBatch: number;
  /** Share of the workers' time in which they run batches. */
  utilisation: number;
  /** Cost of a thousand calls: time for which workers are there, idle or not. */
  workerSecondsPer1000: number;
  /** Means over the answered calls. */
  stages: StageTimes;
  /** Limits that are missed. If there are some, not all calls were simulated. */
  missed: Measure[];
};

type SimulationContext = {
  trace: Trace;
  profile: Profile;
  settings: PoolSettings;
  plan: PredictionPlan;
  target: Target;
  recorder: CallRecorder;
  totals: {
    runMs: number;
    forMs: number;
    calls: number;
    tasks: number;
    batches: number;
  };
};
