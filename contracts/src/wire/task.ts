import * as z from "zod";
import { RequestId } from "../http/response-fields.ts";
import { decodingCostMax } from "@faceline/images/decoding-cost";
import { CallId, CallTenant, Instant, LaneId, ProcessId, TaskId, Traceparent, Tracestate } from "./ids.ts";

/** Most tasks of a call: one source image and 50 candidate images. */
export const callTasksMax = 51;

/** Most faces of an image, as many as a detector returns: an answer with these has about 100 KB. */
export const facesMax = 100;

/** How faces are detected in an image. */
export const TaskOptions = z.object({
  /** False: the detector's box is cropped as it is, without alignment by landmarks. */
  align: z.boolean(),
  /** False: if no face is detected, the whole image is taken as the face. */
  enforceDetection: z.boolean(),
  /** Most faces in the answer, largest first. */
  facesMax: z.int().min(1).max(facesMax),
  /**
   * False: clear faces are enough, so the detector may run on a smaller image. True: the detector runs at its
   * full input size, to detect small and unclear faces too.
   */
  fullResolution: z.boolean(),
});
export type TaskOptions = z.infer<typeof TaskOptions>;

/**
 * How long the image takes to decode, in units of 10 ms on one core of a reference machine: see decodingCost.
 * Whole numbers; 1 is a usual photograph.
 */
export const TaskCost = z.int().min(1).max(decodingCostMax);

/**
 * Fields that each task copies from its call. A field of a request that a worker needs is declared only here:
 * `CallTasks` carries it to the batcher, and `BatchTask` to the worker.
 */
export const taskFields = {
  /** The ingress that waits for the answer. */
  ingress: ProcessId,
  arrivedAt: Instant,
  /** Instant from which the client has received an error, and the answer is not used. */
  deadlineAt: Instant,
  options: TaskOptions,
  /** The span that sent the tasks. */
  traceparent: Traceparent,
  tracestate: Tracestate.optional(),
};

/**
 * ingress → batcher: the tasks of one call for one lane, in one Kafka message, so that they are admitted or
 * refused together. Contains ids and options only: images are never sent through Kafka.
 */
export const CallTasks = z.object({
  requestId: RequestId,
  call: CallId,
  tenant: CallTenant,
  lane: LaneId,
  ...taskFields,
  /** When the message was handed to the Kafka client. */
  sentAt: Instant.optional(),
  tasks: z.array(TaskId).min(1).max(callTasksMax),
  /**
   * Costs by the index at the end of a task's id, so that a call of which some tasks have ended keeps the
   * whole list. A task without a cost has 1, as all tasks of an ingress that does not know this field.
   */
  costs: z.array(TaskCost).max(callTasksMax).default([]),
});
export type CallTasks = z.infer<typeof CallTasks>;
