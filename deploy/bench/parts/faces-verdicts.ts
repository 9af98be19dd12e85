import { join } from "node:path";
import { facesFolder, type LabelledPair } from "../../testing/faces.ts";
import type { Target } from "../load/http-client.ts";
import type { Metric } from "../peers/faces/systems.ts";
import { dataUrl, shuffled } from "../pictures.ts";

/**
 * Requests verdicts about labelled pairs for `forMs` at most; calls that were begun by then are waited for.
 */
export async function requestVerdicts(plan: VerdictPlan): Promise<Verdict[]> {
  const { target, fields, metric, pairs, inFlight, forMs, giveUpMs, stop } = plan;
  const overAt = performance.now() + forMs;
  const verdicts: Verdict[] = [];
  const waiting = shuffled(pairs);
  const caller = async (): Promise<void> => {
    while (performance.now() < overAt && !stop.aborted) {
      const pair = waiting.shift();
      if (pair === undefined) return;
      const [img1, img2] = [pair.first, pair.second].map((name) => dataUrl(join(facesFolder, name)));
      const body = JSON.stringify({ img1, img2, ...fields, distance_metric: metric });
      const answer = await verify(target, body, AbortSignal.any([stop, AbortSignal.timeout(giveUpMs)]));
      verdicts.push({ ...pair, ...answer });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return verdicts;
}

async function verify({ url, headers }: Target, body: string, signal: AbortSignal): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal,
    });
    const answer = (await reply.json()) as { verified?: unknown; threshold?: unknown };
    // A peer may answer an error with status 200 and a text.
    if (typeof answer.verified !== "boolean") return { verified: null };
    const threshold = typeof answer.threshold === "number" ? { threshold: answer.threshold } : {};
    return { verified: answer.verified, ...threshold };
  } catch {
    return { verified: null };
  }
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

/** Returns `260 at 0.07, 14 without a verdict`, with the number of pairs where not all were requested. */
export function tallyText({ requested, right, unanswered, threshold }: VerdictTally, pairs: number): string {
  const of = requested === pairs ? "" : ` of ${requested} requested`;
  const at = threshold === null ? "" : ` at ${threshold}`;
  return `${right}${of}${at}${unanswered === 0 ? "" : `, ${unanswered} without a verdict`}`;
}

type VerdictPlan = {
  target: Target;
  fields: Record<string, string>;
  metric: Metric;
  pairs: LabelledPair[];
  inFlight: number;
  forMs: number;
  giveUpMs: number;
  stop: AbortSignal;
};

/** Null: there was no verdict, for whatever reason. */
type Answer = { verified: boolean | null; threshold?: number };

export type Verdict = LabelledPair & Answer;

/** `threshold`: the one that the server says it used. */
export type VerdictTally = {
  requested: number;
  right: number;
  unanswered: number;
  threshold: number | null;
};
