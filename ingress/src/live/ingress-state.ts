import { errorTable } from "@faceline/contracts/http/errors";
import type { HealthResponse } from "@faceline/contracts/http/health";
import { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import { counted, percent, perSecond } from "@faceline/runtime/live/format";
import { lastMinutes, otherKeys, past5min, past10s } from "@faceline/runtime/live/recent-counts";
import type { LivePart, LiveRow, LiveStatus } from "@faceline/runtime/live/state";
import { attention, ok, problem } from "@faceline/runtime/live/status";
import { type CallHistory, type CallOutcome, kindOf, outcomes } from "./call-history.ts";

/** Returns what the live page shows of an ingress; `health` is its response to /health. */
export function liveIngress(history: CallHistory, parts: IngressParts): LivePart {
  const { now, active, connections, bodyBytes, imageBytes, health } = parts;
  const totalsMs = history.totalsMs.toSorted((one, other) => one - other);
  const quantileMs = (share: number) => totalsMs[Math.floor(share * (totalsMs.length - 1))] ?? null;
  return {
    subject: "ingress",
    status: statusOf(history, parts),
    facts: {
      inFlight: active,
      answeredPerSecond: history.count("answered", past10s(now)) / 10,
      refusedPerSecond: history.count("refused", past10s(now)) / 10,
      failedPerSecond: history.count("failed", past10s(now)) / 10,
      medianMs: quantileMs(0.5),
      p99Ms: quantileMs(0.99),
      openConnections: connections,
      bodiesInMemoryBytes: bodyBytes,
      imagesHeldBytes: imageBytes,
    },
    tables: {
      lanes: Object.entries(health.checks.pools).flatMap(([pool, lanes]) =>
        Object.entries(lanes)
          .slice(0, lanesShownMax)
          .map(([lane, { workers, waiting, expected_wait_ms: expectedWaitMs }]) => ({
            lane,
            pool,
            workers,
            waiting,
            expectedWaitMs,
          })),
      ),
      outcomes: outcomes
        .map((outcome) => ({
          outcome,
          meaning: wordsFor(outcome),
          past10s: history.outcomes.sum(outcome, past10s(now)),
          past5min: history.outcomes.sum(outcome, past5min(now)),
        }))
        .filter((row) => row.past5min > 0)
        .toSorted((one, other) => other.past5min - one.past5min),
      busiestCallers: busiestCallers(history, now),
      timeOfAnsweredRequests: timeParts(history, now),
      lastMinutes: lastMinutes(now).map(({ minute, ...span }) => {
        const answered = history.count("answered", span);
        return {
          minute,
          answered,
          refused: history.count("refused", span),
          failed: history.count("failed", span),
          meanMs: answered === 0 ? null : history.parts.sum("total", span) / answered,
        };
      }),
    },
  };
}

function statusOf(history: CallHistory, { now, health, pools }: IngressParts): LiveStatus {
  if (health.refusal !== undefined) return problem("Not ready", health.refusal.detail);
  const silent = pools.find((pool) => health.checks.pools[pool] === undefined);
  if (silent !== undefined) {
    return problem(
      "A pool is away",
      `No batcher publishes the state of pool ${silent}, so its requests are refused.`,
    );
  }
  for (const [pool, lanes] of Object.entries(health.checks.pools)) {
    const empty = Object.keys(lanes).find((lane) => lanes[lane]!.workers === 0);
    if (empty !== undefined) return problem("No worker", `Pool ${pool} has no worker for ${empty}.`);
  }
  const span = past10s(now);
  const [failed, refused, answered] = (["failed", "refused", "answered"] as const).map((kind) =>
    history.count(kind, span),
  ) as [number, number, number];
  const worst = (kind: "failed" | "refused") => {
    const [outcome] = outcomes
      .filter((each) => kindOf(each) === kind)
      .toSorted((one, other) => history.outcomes.sum(other, span) - history.outcomes.sum(one, span));
    return `most of them ${outcome}: ${wordsFor(outcome!)}`;
  };
  if (failed > 0) return problem("Requests fail", `${perSecond(failed)}; ${worst("failed")}`);
  if (refused > 0) {
    const share = percent(refused / (refused + answered));
    const most = busiestCallers(history, now).find((row) => row.refusedPast10s > refused / 2);
    const loudest = most && ` Most refused: ${most.caller} (${percent(most.refusedPast10s / refused)}).`;
    return attention(
      "Requests are refused",
      `${share}, ${perSecond(refused)}; ${worst("refused")}${loudest ?? ""}`,
    );
  }
  if (answered === 0) return ok("Idle", "No request was answered in the past 10 s.");
  return ok("All is well", `${counted(answered / 10, "request")} per second; nothing is refused.`);
}

/** The callers with the largest share of the requests, now or in five minutes, or of the bytes of images. */
function busiestCallers({ calls, refused, imageBytes }: CallHistory, now: number) {
  const spans = [past10s(now), past5min(now)];
  const [callsNow, callsBefore] = spans.map((span) => calls.sums(span)) as [Sums, Sums];
  const [refusedNow, refusedBefore] = spans.map((span) => refused.sums(span)) as [Sums, Sums];
  const images = imageBytes.sums(past5min(now));
  const rows = [...callsBefore].map(([tenant, past5min]) => ({
    caller: callerWords.get(tenant) ?? tenant,
    past10s: callsNow.get(tenant) ?? 0,
    past5min,
    refusedPast10s: refusedNow.get(tenant) ?? 0,
    refusedPast5min: refusedBefore.get(tenant) ?? 0,
    imagesPast5minBytes: images.get(tenant) ?? 0,
  }));
  const fields = ["past10s", "past5min", "imagesPast5minBytes"] as const;
  const totals = fields.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 1)] as const);
  const shareOf = (row: (typeof rows)[number]) =>
    Math.max(...totals.map(([field, total]) => row[field] / total));
  return rows.toSorted((one, other) => shareOf(other) - shareOf(one)).slice(0, callersShownMax);
}

/** The mean time of each part of the requests that were answered in the past five minutes. */
function timeParts({ parts, outcomes: ended }: CallHistory, now: number): LiveRow[] {
  const answered = ended.sum("ok", past5min(now));
  const { total = 1, ...sums } = Object.fromEntries(parts.sums(past5min(now)));
  return Object.entries(sums).map(([part, ms]) => ({ part, meanMs: ms / answered, ofAllShare: ms / total }));
}

function wordsFor(outcome: CallOutcome): string {
  if (outcome === "ok") return "Answered.";
  if (outcome === "client_left") return "The client left before its answer.";
  // In Markdown.
  return errorTable[outcome].when.replaceAll("`", "");
}

const callerWords = new Map<string, string>([
  [keylessTenant, "no valid key"],
  [visitorsTenant, "visitors of the tester"],
  [otherKeys, "others"],
]);

const lanesShownMax = 16;
const callersShownMax = 10;

type Sums = Map<string, number>;

type IngressParts = {
  now: number;
  active: number;
  connections: number;
  bodyBytes: number;
  imageBytes: number;
  health: HealthResponse;
  pools: string[];
};
