import type { DispatchReason } from "@faceline/contracts/wire/batch";
import type { keylessTenant, visitorsTenant } from "@faceline/contracts/wire/ids";
import type { failureReasons, ShedReason } from "@faceline/contracts/wire/outcome";
import type { LaneWait, LimitName, LiveWorker } from "../state.ts";
import { counted, duration } from "./format.ts";

// What the codes of the service mean, in words. Each list is closed, so that none is forgotten.

export const dispatchWords: Record<DispatchReason, string> = {
  full: "as large as is worth while",
  floor: "large enough to keep up with the arrivals",
  slack: "a larger one would end after the deadline of its most urgent task",
  hold_expired: "waited as long as allowed for more tasks, and too few came",
  retry: "a part of a batch that failed or lost its worker",
  drain: "this batcher is stopping",
};

export const shedWords: Record<ShedReason, string> = {
  queue_too_long: "would have waited too long in the queue",
  deadline_infeasible: "could not be answered before its deadline",
  early_drop: "could be on time only in batches too small for the load",
};

export const failureWords: Record<(typeof failureReasons)[number], string> = {
  image_lost: "its image was no longer in Redis",
  decode_timeout: "its image took too long to decode",
  run_failed: "its run failed",
  attempts_exhausted: "every attempt failed or lost its worker",
  build_gone: "no worker runs the build that its request began with",
};

export const workerWords: Record<LiveWorker["state"], string> = {
  free: "free",
  running: "runs a batch",
  preparing: "fetches and decodes images",
  stopping: "is stopping: accepts no new batch",
  silent: "silent: sends no reports",
  out_of_service: "out of service: hangs, or has no partition",
};

/** Meaning of the failure of each check of /readyz. */
export const checkWords: Record<string, string> = {
  start: "It is starting or stopping.",
  "redis-volatile":
    "The volatile Redis has not answered lately, or its configuration is not safe for images: the log says which.",
  kafka: "Kafka has not answered lately.",
  serving: "It accepts no requests: it is stopping, or receives no results from Redis.",
  connections: "All its connections are taken: CONNECTIONS_MAX is reached.",
};

/** Name of a team, or what the requests of no team are. */
export const callerName = (caller: string): string =>
  Object.hasOwn(callerWords, caller) ? callerWords[caller as keyof typeof callerWords] : caller;

const callerWords: Record<typeof keylessTenant | typeof visitorsTenant | "~others", string> = {
  "~keyless": "no valid key",
  "~visitors": "visitors of the tester",
  "~others": "all others",
};

export const limitWords: Record<LimitName, string> = {
  bodies: "Bodies of requests in memory",
  images: "Images in Redis",
  connections: "Open connections",
};

/** The parts of a request's time, in the order in which they pass. Unknown ones have no words. */
export const partWords: Record<string, string> = {
  admission: "key, limits, body, headers of images",
  publish: "images to Redis, tasks to Kafka",
  hop: "messages on their way between processes",
  queue: "waits for a worker",
  hold: "waits for more tasks, although a worker is free",
  retry: "in batches that were lost or failed",
  prepare: "images are fetched and decoded",
  run: "the models run",
  answer: "results are published",
  gather: "distances and the response are computed",
  unaccounted: "not covered by any other part",
};

/** Says what the tasks of a lane wait for, as a sentence. */
export function waitSentence(wait: LaneWait, waiting: number): string {
  const tasks = `${counted(waiting, "task")} ${waiting === 1 ? "waits" : "wait"}`;
  switch (wait.kind) {
    case "nothing_waits":
      return "No task waits.";
    case "no_worker":
      return `${tasks}, and no worker of this lane is in service.`;
    case "all_busy":
      return `${tasks}: every worker has one batch running and one behind it. The first of them ends both in ${duration(wait.freeInMs)}.`;
    case "staging":
      return `${tasks} for the next batch. It is sent in ${duration(wait.sendInMs)}, just before a worker ends its run, and may grow until then.`;
    case "held":
      return `Held now because ${counted(waiting, "task")} ${waiting === 1 ? "is" : "are"} fewer than the ${wait.floor} that keep up with the arrivals: for ${duration(wait.holdMaxMs)} at most.`;
    case "due":
      return `${tasks}, and the next batch can be sent.`;
  }
}
