import { join } from "node:path";
import { facesFolder, type LabelledPair } from "../testing/faces.ts";
import type { Metric } from "./face-peers.ts";
import type { Target } from "./http-client.ts";
import { dataUrl, shuffled } from "./pairs.ts";

/** Asks about the labelled pairs, as many as the time allows; those that were begun are waited for. */
export async function askVerdicts(plan: VerdictPlan): Promise<Told[]> {
  const { target, fields, metric, pairs, inFlight, forMs, giveUpMs, stop } = plan;
  const overAt = performance.now() + forMs;
  const told: Told[] = [];
  const waiting = shuffled(pairs);
  const caller = async (): Promise<void> => {
    while (performance.now() < overAt && !stop.aborted) {
      const pair = waiting.shift();
      if (pair === undefined) return;
      const [img1, img2] = [pair.first, pair.second].map((name) => dataUrl(join(facesFolder, name)));
      const body = JSON.stringify({ img1, img2, ...fields, distance_metric: metric });
      const verdict = await ask(target, body, AbortSignal.any([stop, AbortSignal.timeout(giveUpMs)]));
      told.push({ ...pair, ...verdict });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return told;
}

async function ask({ url, headers }: Target, body: string, signal: AbortSignal): Promise<Verdict> {
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal,
    });
    const answer = (await reply.json()) as { verified?: unknown; threshold?: unknown };
    // Some of a peer's errors are 200 with a text.
    if (typeof answer.verified !== "boolean") return { verified: null };
    const threshold = typeof answer.threshold === "number" ? { threshold: answer.threshold } : {};
    return { verified: answer.verified, ...threshold };
  } catch {
    return { verified: null };
  }
}

/** A pair without a verdict is not right: whoever asked does not know. */
export function tally(told: readonly Told[]): Tally {
  return {
    asked: told.length,
    right: told.filter(({ verified, samePerson }) => verified === samePerson).length,
    unanswered: told.filter(({ verified }) => verified === null).length,
    threshold: told.find(({ threshold }) => threshold !== undefined)?.threshold ?? null,
  };
}

/** `260 at 0.07, 14 without a verdict`, and out of how many where they are not all. */
export function tallyText({ asked, right, unanswered, threshold }: Tally, all: number): string {
  const outOf = asked === all ? "" : ` of ${asked} asked`;
  const at = threshold === null ? "" : ` at ${threshold}`;
  return `${right}${outOf}${at}${unanswered === 0 ? "" : `, ${unanswered} without a verdict`}`;
}

export type VerdictPlan = {
  target: Target;
  fields: Record<string, string>;
  metric: Metric;
  pairs: LabelledPair[];
  inFlight: number;
  forMs: number;
  giveUpMs: number;
  stop: AbortSignal;
};

/** Null: there was none, for whatever reason. */
type Verdict = { verified: boolean | null; threshold?: number };

export type Told = LabelledPair & Verdict;

/** `threshold`: the server's own, as it says. */
export type Tally = { asked: number; right: number; unanswered: number; threshold: number | null };
