import * as z from "zod";
import { RequestId } from "../http/reply-fields.ts";
import { CallId, Instant, LaneId, ProcessId, TaskId, Tenant, Traceparent } from "./ids.ts";

/** One source and 50 candidate images: the most that one call can bring. */
export const callTasksMax = 51;

/** What is asked of the faces of an image. */
export const TaskOptions = z.object({
  /** False: the detector's box as it is, without landmarks. */
  align: z.boolean(),
  /** False: where no face is found, the whole image is the face. */
  enforceDetection: z.boolean(),
  /** How many faces are wanted, largest first. */
  facesMax: z.int().min(1).max(100),
  /**
   * False: those that are seen clearly will do, so a picture may be looked at in small. True: small and
   * unclear ones too, as far as the detector's full size shows them.
   */
  fullResolution: z.boolean(),
});
export type TaskOptions = z.infer<typeof TaskOptions>;

/**
 * What each task has from its call. A field of a request that a worker needs is written here, once:
 * `CallTasks` brings it to the batcher, and `BatchTask` brings it to the worker.
 */
export const taskFields = {
  /** The ingress that waits for the answer. */
  ingress: ProcessId,
  arrivedAt: Instant,
  /** After this instant the client has its error and nobody waits for the answer. */
  deadlineAt: Instant,
  options: TaskOptions,
  traceparent: Traceparent,
};

/**
 * ingress → batcher: the tasks that one call gives to one lane, in one message of Kafka, so that they are
 * admitted or refused together. Holds ids and options only: an image never enters Kafka.
 */
export const CallTasks = z.object({
  requestId: RequestId,
  call: CallId,
  tenant: Tenant,
  lane: LaneId,
  ...taskFields,
  tasks: z.array(TaskId).min(1).max(callTasksMax),
});
export type CallTasks = z.infer<typeof CallTasks>;
