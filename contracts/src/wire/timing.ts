import * as z from "zod";
import { Instant } from "./ids.ts";

/** A part of a task's time, in ms. Negative if the server's clock was set back meanwhile. */
const PartMs = z.number().default(0);

/** How the time of a task passed until a worker got it. */
export const TaskWait = z.object({
  /**
   * The way of messages from the ingress to here: the receivers' clocks less the senders'. Each clock is off
   * by up to half a round trip to Redis, so this may be slightly negative. The hops of a call lead from its
   * ingress back to it, so these errors cancel out in their sum.
   */
  hopMs: PartMs,
  /** Waiting for a worker. */
  queueMs: PartMs,
  /** Waiting for more tasks, although a worker was free. */
  holdMs: PartMs,
  /** Time in batches that were lost or failed, each from its dispatch until its tasks were queued again. */
  retryMs: PartMs,
  /** When it was queued for the last time. */
  queuedAt: Instant.optional(),
  /** Batches that the task was sent in. */
  attempts: z.int().nonnegative().default(0),
});
export type TaskWait = z.infer<typeof TaskWait>;

export const noWait: TaskWait = { hopMs: 0, queueMs: 0, holdMs: 0, retryMs: 0, attempts: 0 };

/**
 * How the time of a task passed until its answer was published. Each part was measured by two readings of the
 * clock in the process that did the work. A part that the task did not reach is 0. `queueMs` includes the
 * wait in the worker behind the running batch.
 */
export const TaskTiming = TaskWait.extend({
  /** Fetching and decoding the images of its batch. */
  prepareMs: PartMs,
  /** The run of its batch. */
  runMs: PartMs,
  /** Time from the end of the run to the publication of the answers; in a batcher, from its decision. */
  answerMs: PartMs,
  /** The ingress measures the last hop from this. */
  publishedAt: Instant.optional(),
});
export type TaskTiming = z.infer<typeof TaskTiming>;
