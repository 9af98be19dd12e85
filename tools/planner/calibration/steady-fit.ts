import type { Profile } from "@faceline/contracts/stored/profile";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { StageTimes } from "../prediction/call-recorder.ts";
import { type PoolSettings, predict, type RunTimes } from "../prediction/predict.ts";
import { runsOnCores } from "../profile/lane-times.ts";
import { runPace } from "../replay/run-counts.ts";
import { drawTraffic } from "../trace/drawn-traffic.ts";
import type { PictureSize, Trace } from "../trace/trace.ts";
import { repeatedTrace } from "../trace/trace-part.ts";
import { fitToLoad } from "./load-fit.ts";
import { withoutSimulatedGap } from "./run-gap.ts";
import type { SteadyReplay } from "./steady-load.ts";

/** Returns calls at three quarters of the most that the profile's service answers: it is busy then. */
export const steadyTraffic = (profile: Profile, plan: SteadyTraffic): Trace =>
  trafficAt(steadyShare, profile, plan);

/**
 * Returns the profile with the CPU time of runs and with the waits that replays of `steadyTraffic` had. The
 * machine's pace is another one in each replay: each is compared with a simulation at its pace, so that a
 * slow moment does not become a wait. The pace of the profile is the mean of them.
 */
export function fitToSteadyLoad(profile: Profile, replays: readonly SteadyReplay[], plan: FitPlan): Profile {
  const { traffic, settings, clientIsHere } = plan;
  const trace = steadyTraffic(profile, traffic);
  const parts = repeatedTrace(trace, Math.ceil(fittedCallsMin / replays.length));
  const { profile: atUsualPace, paces } = withPaceOf(replays, profile, (each) =>
    predict(trace, each, settings, { parts, clientIsHere }),
  );
  const measured = {
    serviceMs: replays.flatMap(({ serviceMs }) => serviceMs),
    runs: replays.flatMap(({ runs }) => runs),
  };
  const predictSteady = (each: Profile) => {
    const [serviceMs, runs]: [number[], RunTimes[]] = [[], []];
    const callAnswered = (call: StageTimes) => void serviceMs.push(call.serviceMs);
    const runEnded = (run: RunTimes) => void runs.push(run);
    for (const pace of paces) {
      predict(trace, each, settings, { parts, clientIsHere, pace, callAnswered, runEnded });
    }
    return { serviceMs, runs };
  };
  const withWaits = fitToLoad(atUsualPace, { measured, lane: traffic.lane, predict: predictSteady });
  const full = trafficAt(fullShare, profile, traffic);
  const settingsOfFull = { ...settings, deadlineMs: fullDeadlineMs };
  const fullPlan = { parts: repeatedTrace(full, fittedCallsMin), clientIsHere };
  return withoutSimulatedGap(withWaits, (each) => predict(full, each, settingsOfFull, fullPlan));
}

/**
 * Returns the profile with runs that take as much CPU time as those of the replays did in the mean, and the
 * pace of each replay beside that. The runs of all lanes change: these replays show the machine's usual pace,
 * and the loads of the lanes one moment each.
 */
function withPaceOf(
  replays: readonly SteadyReplay[],
  profile: Profile,
  predictSteady: (profile: Profile) => Pick<ReturnType<typeof predict>, "meanRunCpuMs">,
): { profile: Profile; paces: number[] } {
  const unchanged = { profile, paces: replays.map(() => 1) };
  if (!runsOnCores(profile)) return unchanged;
  const { meanRunCpuMs } = predictSteady(profile);
  const paces = replays.map(({ counts }) => runPace(counts, meanRunCpuMs));
  if (!paces.every((pace) => pace !== undefined)) return unchanged;
  const usual = paces.reduce((sum, pace) => sum + pace, 0) / paces.length;
  const { service, lanes } = profile;
  const runFactors = Object.fromEntries(
    lanes.map(({ lane }) => [lane, usual * (service.runFactors[lane] ?? 1)]),
  );
  return {
    profile: { ...profile, service: { ...service, runFactors } },
    paces: paces.map((pace) => pace / usual),
  };
}

function trafficAt(share: number, { service }: Profile, { lane, picture, seconds }: SteadyTraffic): Trace {
  return drawTraffic({
    shape: "poisson",
    seed: 1,
    perSecond: share * service.perSecond,
    seconds,
    tenants: 1,
    lanes: [lane],
    pictures: 2,
    pictureSize: picture,
    deadlineMs: 30_000,
    factor: 1,
  });
}

/** Of the calls a second that it answered at most. */
const steadyShare = 0.75;
/** Of the same, for the simulation of full load: more than it can answer, so that calls always wait. */
const fullShare = 1.3;
/** Of those calls: a queue of many batches, and no longer one. */
const fullDeadlineMs = 2_000;
/** Calls of each prediction that is compared with the steady load. */
const fittedCallsMin = 5_000;

type SteadyTraffic = { lane: LaneId; picture: PictureSize; seconds: number };

type FitPlan = {
  traffic: SteadyTraffic;
  settings: PoolSettings;
  /** Whether the client of the replays ran on the machine of the service. */
  clientIsHere: boolean;
};
