import * as z from "zod";
import { type ErrorCode, errorTable } from "./errors.ts";
import { RequestId } from "./ids.ts";

/** The one shape of every failure: RFC 9457's members, and the stable code in `error`. */
export const Problem = z.object({
  error: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
  /** A sentence for people. It never repeats what was sent. */
  detail: z.string(),
  request_id: RequestId,
  status: z.int(),
  title: z.string(),
  type: z.string(),
  /** The field at fault, by its own name where an alias was sent. */
  field: z.string().optional(),
  /** The image or candidate at fault, by its place in the request. */
  index: z.int().nonnegative().optional(),
});
export type Problem = z.infer<typeof Problem>;
