import { quantile } from "@faceline/contracts/testing/quantile";
import type { LabelledPair } from "@faceline/testing/faces";
import { generatorName, type MeasuredLoop } from "../load/generator.ts";
import { type Cpu, restOfMachine } from "../observe/processes.ts";
import type { Metric } from "../peers/faces/systems.ts";
import { mean, pairedRatio, type RatioEstimate, sum } from "../statistics.ts";

/** Puts the rounds of each server together, in the order in which they came first. */
export function summariseFaces(cases: readonly FaceCase[], verdicts: readonly FaceVerdicts[]): FaceSummary[] {
  const groups = Map.groupBy(cases, ({ server }) => server);
  return [...groups].map(([server, rounds]) => ({
    server,
    single: summariseLoops(rounds.map(({ single }) => single)),
    busy: summariseLoops(rounds.map(({ busy }) => busy)),
    mib: meanOfKnown(rounds.map(({ mib }) => (mib === null ? null : sum(Object.values(mib))))),
    verdicts: Object.fromEntries(
      verdicts.filter((each) => each.server === server).map(({ metric, tally }) => [metric, tally]),
    ),
  }));
}

function summariseLoops(loops: MeasuredLoop[]): LoopSummary {
  const calls = loops.flatMap((loop) => loop.calls);
  const answered = calls.filter(({ status }) => status === 200).map(({ tookMs }) => tookMs);
  const tookMs = sum(loops.map((loop) => loop.tookMs));
  const coreSeconds = meanOfKnown(loops.map(({ cpu }) => ownSeconds(cpu)));
  return {
    answered: answered.length,
    failed: calls.length - answered.length,
    perSecond: (answered.length * 1_000) / tookMs,
    p50: answered.length === 0 ? null : quantile(answered, 0.5),
    p99: answered.length === 0 ? null : quantile(answered, 0.99),
    cores: coreSeconds === null ? null : (coreSeconds * loops.length * 1_000) / tookMs,
  };
}

/** CPU seconds of the server itself, all its processes together. */
function ownSeconds(cpu: Cpu): number | null {
  if (cpu === null) return null;
  const { [restOfMachine]: _others, [generatorName]: _generator, ...own } = cpu;
  return sum(Object.values(own));
}

/** A pair without a verdict is not right: its client does not know. */
export function tally(verdicts: readonly Verdict[]): VerdictTally {
  return {
    requested: verdicts.length,
    right: verdicts.filter(({ verified, samePerson }) => verified === samePerson).length,
    unanswered: verdicts.filter(({ verified }) => verified === null).length,
    threshold: verdicts.find(({ threshold }) => threshold !== undefined)?.threshold ?? null,
  };
}

/**
 * Estimates each measure of `ownName` as a multiple of that of each peer. The pairs are the rounds in which
 * both have a value; with fewer than two there is no estimate.
 */
export function ratiosToPeers(cases: readonly FaceCase[], ownName: string): PeerRatio[] {
  const servers = [...new Set(cases.map(({ server }) => server))].filter((server) => server !== ownName);
  const ofRound = (server: string, round: number) =>
    cases.find((each) => each.server === server && each.round === round);
  const rounds = [...new Set(cases.map(({ round }) => round))];
  return servers.flatMap((server) =>
    pairedMeasures.flatMap(({ what, valueOf }) => {
      const pairs = rounds.flatMap((round) => {
        const [own, peer] = [ofRound(ownName, round), ofRound(server, round)];
        if (own === undefined || peer === undefined) return [];
        const pair = { old: valueOf(peer) ?? 0, new: valueOf(own) ?? 0 };
        return pair.old > 0 && pair.new > 0 ? [pair] : [];
      });
      return pairs.length < 2 ? [] : [{ server, what, ...pairedRatio(pairs) }];
    }),
  );
}

const pairedMeasures: { what: string; valueOf(each: FaceCase): number | null }[] = [
  { what: "requests/s", valueOf: ({ busy }) => summariseLoops([busy]).perSecond },
  { what: "CPU a request", valueOf: ({ busy }) => cpuMsOfCall(summariseLoops([busy])) },
  { what: "p50 of a single request", valueOf: ({ single }) => summariseLoops([single]).p50 },
];

export const cpuMsOfCall = ({ cores, perSecond }: LoopSummary): number | null =>
  cores === null || perSecond === 0 ? null : (cores * 1_000) / perSecond;

function meanOfKnown(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}

/** One server in one round. `mib`: resident memory after the load; `pssMib` counts shared memory once. */
export type FaceCase = {
  server: string;
  round: number;
  busy: MeasuredLoop;
  single: MeasuredLoop;
  mib: Record<string, number> | null;
  pssMib: Record<string, number> | null;
};

/** Null: there was no verdict, for whatever reason. */
export type VerdictAnswer = { verified: boolean | null; threshold?: number };

export type Verdict = LabelledPair & VerdictAnswer;

/** `threshold`: the one that the server says it used. */
export type VerdictTally = {
  requested: number;
  right: number;
  unanswered: number;
  threshold: number | null;
};

export type FaceVerdicts = { server: string; metric: Metric; tally: VerdictTally };

type LoopSummary = {
  answered: number;
  failed: number;
  perSecond: number;
  p50: number | null;
  p99: number | null;
  /** Cores that it kept busy; null if the system does not report CPU time. */
  cores: number | null;
};

export type FaceSummary = {
  server: string;
  single: LoopSummary;
  busy: LoopSummary;
  mib: number | null;
  verdicts: Partial<Record<Metric, VerdictTally>>;
};

/** `what` of a server as a multiple of the peer's. */
export type PeerRatio = RatioEstimate & { server: string; what: string };
