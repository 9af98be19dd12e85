import type {
  LiveBatcher,
  LiveCount,
  LiveInference,
  LiveIngress,
  LivePart,
  LiveState,
  LiveWorker,
  OutcomeKind,
} from "../state.ts";
import { counted, duration, number, percent, perSecond, quantileOf, shortId } from "./format.ts";
import { lastOf } from "./sparkline.ts";
import { callerName, checkWords, failureWords, shedWords } from "./words.ts";

/** Returns the status of the process in a few words, and why in a sentence; of several problems the worst. */
export function processStatus({ checks, health: { redis }, part }: LiveState): ProcessStatus {
  const unresponsive = Object.keys(checks).filter((name) => !checks[name]);
  if (unresponsive.length > 0) {
    return problem(
      "Not ready",
      unresponsive.map((name) => checkWords[name] ?? `The check ${name} has not succeeded lately.`).join(" "),
    );
  }
  const ofPart = partStatus(part);
  const full = redis === undefined || redis.maxBytes === 0 ? 0 : redis.usedBytes / redis.maxBytes;
  if (ofPart.level === "problem" || full < 0.9) return ofPart;
  const detail = `The volatile Redis has ${percent(full)} of its maxmemory in use, and refuses images and results at 100 %.`;
  return attention("Redis is nearly full", detail);
}

function partStatus(part: LivePart): ProcessStatus {
  switch (part.kind) {
    case "batcher":
      return batcherStatus(part);
    case "ingress":
      return ingressStatus(part);
    case "inference":
      return inferenceStatus(part);
  }
}

function batcherStatus(part: LiveBatcher): ProcessStatus {
  const { role, pool, lanes, workers, shed, failed, expired } = part;
  switch (role) {
    case "standby":
      return { level: "ok", title: "Standby", detail: standbyWords(pool) };
    case "cut_off":
      return problem(
        "Cut off from Kafka",
        "Another batcher may have taken over by now, so this one sends and refuses nothing.",
      );
    case "stopping":
      return attention(
        "Stopping",
        "Waiting tasks are sent as soon as a worker can accept them; then the process ends.",
      );
    case "active":
      break;
  }
  const stranded = lanes.find(({ wait }) => wait.kind === "no_worker");
  if (stranded !== undefined) {
    const tasks = `${counted(stranded.waiting, "task")} of ${stranded.lane}`;
    return problem("No worker", `${tasks} wait, and no worker that has the lane loaded is in service.`);
  }
  const [failure] = mostFrequent(failed);
  if (failure !== undefined) {
    return problem(
      "Tasks fail",
      `${perSecond(totalOf(failed))}; most of them: ${failureWords[failure]} (${failure}).`,
    );
  }
  const sent = lastOf(part.sent);
  const [reason] = mostFrequent(shed);
  if (reason !== undefined) {
    const refused = totalOf(shed);
    const share = percent(refused / (refused + sent));
    const detail = `${share} of the tasks are refused, ${perSecond(refused)}; most of them ${shedWords[reason]} (${reason}).`;
    return attention("Overloaded", detail);
  }
  if (expired.last10s > 0) {
    return attention("Tasks are late", `${perSecond(expired.last10s)} still waited at their deadline.`);
  }
  const retried = lanes.reduce((sum, { reasons }) => sum + reasons.retry.last10s, 0);
  if (retried > 0) {
    return attention(
      "Batches are sent again",
      `${counted(retried, "batch")} in the past 10 s, because a run failed or a worker stopped responding${culprit(workers)}.`,
    );
  }
  const slow = workers.find(({ isSlow }) => isSlow);
  if (slow !== undefined) {
    const times = `${number(slow.runRatio!)} times as long as the others`;
    return attention(
      "A worker is slow",
      `${shortId(slow.worker)} takes ${times} for batches of the same size.`,
    );
  }
  if (sent === 0)
    return { level: "ok", title: "Idle", detail: "No task was sent to a worker in the past 10 s." };
  const batches = lanes
    .flatMap(({ reasons }) => Object.values(reasons))
    .reduce((sum, each) => sum + each.last10s, 0);
  const oldestMs = Math.max(0, ...lanes.map((lane) => lane.oldestMs));
  const detail = `${counted(sent / 10, "task")} per second in batches of ${number(sent / Math.max(1, batches))}; nothing is refused. The oldest task waits for ${duration(oldestMs)}.`;
  return { level: "ok", title: "All is well", detail };
}

/** Names the worker with most of the failed runs and lost batches. */
function culprit(workers: LiveWorker[]): string {
  const faults = ({ failedRuns, lostBatches }: LiveWorker) => failedRuns.last10s + lostBatches.last10s;
  const [worst] = workers.toSorted((one, other) => faults(other) - faults(one));
  return worst === undefined || faults(worst) === 0 ? "" : `; most of them: ${shortId(worst.worker)}`;
}

const standbyWords = (pool: string): string =>
  `Another batcher holds the tasks of pool ${pool}; its page has the lanes. This one takes over when that one ends.`;

function ingressStatus({ answered, refused, failed, outcomes, callers, pools }: LiveIngress): ProcessStatus {
  const silent = pools.find(({ lanes }) => lanes === null);
  if (silent !== undefined) {
    return problem(
      "A pool is away",
      `No batcher publishes the state of pool ${silent.pool}, so its requests are refused.`,
    );
  }
  for (const { pool, lanes } of pools) {
    const empty = lanes?.find(({ workers }) => workers === 0);
    if (empty !== undefined) return problem("No worker", `Pool ${pool} has no worker for ${empty.lane}.`);
  }
  const [failures, refusals, answers] = [lastOf(failed), lastOf(refused), lastOf(answered)];
  const worst = (wanted: OutcomeKind) =>
    outcomes
      .filter(({ kind }) => kind === wanted)
      .toSorted((one, other) => other.count.last10s - one.count.last10s)[0];
  if (failures > 0) {
    const main = worst("failed");
    return problem("Requests fail", `${perSecond(failures)}; most of them ${main?.outcome}: ${main?.words}`);
  }
  if (refusals > 0) {
    const main = worst("refused");
    const share = percent(refusals / (refusals + answers));
    return attention(
      "Requests are refused",
      `${share}, ${perSecond(refusals)}; most of them ${main?.outcome}: ${main?.words}${loudestWords(callers)}`,
    );
  }
  if (answers === 0)
    return { level: "ok", title: "Idle", detail: "No request was answered in the past 10 s." };
  return {
    level: "ok",
    title: "All is well",
    detail: `${counted(answers / 10, "request")} per second ${answers === 10 ? "is" : "are"} answered; nothing is refused.`,
  };
}

/** Names the caller with most of the refusals. Empty where no one has so many. */
function loudestWords({ loudest, others }: LiveIngress["callers"]): string {
  const total = [...loudest, others].reduce((sum, { refused }) => sum + refused.last10s, 0);
  const first = loudest.find(({ refused }) => refused.last10s > total / 2);
  if (first === undefined) return "";
  return ` Most refused: ${callerName(first.caller)} (${percent(first.refused.last10s / total)}).`;
}

function inferenceStatus({ isStopping, failed, busy, answered, runs }: LiveInference): ProcessStatus {
  if (isStopping) return attention("Stopping", "It finishes its batches and accepts no new ones.");
  if (failed.last10s > 0) {
    return problem(
      "Batches fail",
      `${counted(failed.last10s, "batch")} in the past 10 s. The log says why; the batcher tries their tasks again.`,
    );
  }
  const slowness = quantileOf(
    runs.map(({ runMs, predictedRunMs }) => runMs / predictedRunMs),
    0.5,
  );
  if (runs.length >= comparedRunsMin && slowness >= slownessMin) {
    const words = `Half of the last ${runs.length} runs took ${number(slowness)} times as long as predicted, or longer.`;
    return attention(
      "Slower than predicted",
      `${words} The batcher learns from all workers: its page compares them.`,
    );
  }
  if (answered.last10s === 0)
    return { level: "ok", title: "Idle", detail: "No batch was answered in the past 10 s." };
  const share = busy.slice(-5).reduce((sum, each) => sum + each, 0) / 5;
  return {
    level: "ok",
    title: "All is well",
    detail: `${counted(answered.last10s / 10, "batch")} per second; runs take ${percent(share)} of the time.`,
  };
}

/**
 * Multiple of the mean run time from which a worker is slow. Of two workers, one that takes 1.5 times as long
 * as the other takes 1.2 times their mean.
 */
const slownessMin = 1.2;
const comparedRunsMin = 8;

/** The keys that were counted in the past 10 s, the most frequent first. */
const mostFrequent = <Key extends string>(counts: Record<Key, LiveCount>): Key[] =>
  (Object.keys(counts) as Key[])
    .filter((key) => counts[key].last10s > 0)
    .toSorted((one, other) => counts[other].last10s - counts[one].last10s);

const totalOf = (counts: Record<string, LiveCount>): number =>
  Object.values(counts).reduce((sum, { last10s }) => sum + last10s, 0);

const problem = (title: string, detail: string): ProcessStatus => ({ level: "problem", title, detail });
const attention = (title: string, detail: string): ProcessStatus => ({ level: "attention", title, detail });

/** `title` changes only with the kind of the situation, so a screen reader can be given each change. */
type ProcessStatus = { level: "ok" | "attention" | "problem"; title: string; detail: string };
