import * as z from "zod";

/**
 * Id of one call: `<request id>/<nonce>`. The ingress adds the nonce (96 random bits), so that a client that
 * reuses a request id cannot receive the answer of another call.
 */
export const CallId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}\/[A-Za-z0-9_-]{16}$/)
  .brand<"CallId">();
export type CallId = z.infer<typeof CallId>;

/** Id of one image of a call: `<call id>/<index>`. */
export const TaskId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}\/[A-Za-z0-9_-]{16}\/[0-9]{1,3}$/)
  .brand<"TaskId">();
export type TaskId = z.infer<typeof TaskId>;

/** Id of a lane, the unit of batching: model and detector, `Dlib/ssd`. */
export const LaneId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}\/[A-Za-z0-9._-]{1,64}$/)
  .brand<"Lane">();
export type LaneId = z.infer<typeof LaneId>;

export const PoolName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);

/** Name of a team. A team holds API keys and is the unit of fair queueing. */
export const Tenant = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);

/**
 * The tenant of all visitors of the public tester together. No team can have its name, and
 * the tenant of AUTH=off neither, because names of teams have no "~".
 */
export const visitorsTenant = "~visitors";

/** Tenant of calls that were refused before anybody knew whose they are. */
export const keylessTenant = "~keyless";

/** Whom a call belongs to. */
export const CallTenant = z.union([Tenant, z.literal(visitorsTenant)]);

/**
 * Id of a process: its service and 64 random bits. It is new at every start, so the sequence numbers of one
 * id never run backwards.
 */
export const ProcessId = z.string().regex(/^[a-z]{1,16}-[0-9a-f]{16}$/);

/** W3C Trace Context, version 00. */
export const Traceparent = z.string().regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);

/** Vendors' own data of a trace, which is passed on as it came: 512 characters of ASCII at most. */
export const Tracestate = z.string().regex(/^[\x20-\x7e]{1,512}$/);

export const taskId = (call: CallId, index: number): TaskId => `${call}/${index}` as TaskId;

export const callIdOf = (task: TaskId): CallId => task.slice(0, task.lastIndexOf("/")) as CallId;

export const requestIdOf = (task: TaskId): string => task.slice(0, task.indexOf("/"));
export const taskIndexOf = (task: TaskId): number => Number(task.slice(task.lastIndexOf("/") + 1));

export const laneId = (model: string, detector: string): LaneId => `${model}/${detector}` as LaneId;

/** An instant on the shared clock, in epoch milliseconds (fractions allowed). */
export const Instant = z.number().positive();

/** A length of time in milliseconds. */
export const DurationMs = z.number().nonnegative();
