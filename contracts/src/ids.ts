import * as z from "zod";

/** A client's own id, or a UUIDv7 that the ingress made. It may be reused freely: it never joins two calls. */
export const RequestId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .brand<"RequestId">();
export type RequestId = z.infer<typeof RequestId>;

/**
 * One call of one client: `<request id>/<nonce>`. The nonce is made by the ingress (96 random bits), so a client
 * that reuses an id can never see another caller's answer.
 */
export const CallId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}\/[A-Za-z0-9_-]{16}$/)
  .brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

/** One image of one call: `<call id>/<index>`. */
export const TaskId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}\/[A-Za-z0-9_-]{16}\/[0-9]{1,3}$/)
  .brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

/** Model and detector, the unit of batching: `Dlib/ssd`. */
export const Lane = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}\/[A-Za-z0-9._-]{1,64}$/)
  .brand<"Lane">();
export type Lane = z.infer<typeof Lane>;

export const PoolName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);

/** A team, the holder of API keys: the unit of fairness. */
export const Tenant = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);

/** A process: its service and 64 random bits, new at every start, so a sequence number never runs backwards. */
export const ProcessId = z.string().regex(/^[a-z]{1,16}-[0-9a-f]{16}$/);

/** W3C Trace Context, version 00. */
export const Traceparent = z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

export const taskId = (call: CallId, index: number): TaskId => `${call}/${index}` as TaskId;

export const callOf = (task: TaskId): CallId => task.slice(0, task.lastIndexOf("/")) as CallId;

export const laneOf = (model: string, detector: string): Lane => `${model}/${detector}` as Lane;

/** An instant on the shared clock, in epoch milliseconds (fractions allowed). */
export const Instant = z.number().positive();

/** A length of time as answers show it. */
export const Seconds = z.number().nonnegative().describe("Seconds.");

/** A length of time in milliseconds. */
export const Length = z.number().nonnegative();
