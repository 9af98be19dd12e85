import * as z from "zod";
import { ErrorCode } from "./errors.ts";
import { RequestId } from "./reply-fields.ts";

/** Body of every error reply: the members of RFC 9457, and the stable code in `error`. */
export const Problem = z.object({
  error: ErrorCode,
  detail: z.string().describe("A sentence for people. It never repeats what was sent."),
  request_id: RequestId,
  status: z.int(),
  title: z.string(),
  type: z.string().describe("Where the reference has this code."),
  field: z
    .string()
    .optional()
    .describe("The field or header at fault; the field's own name, also where an alias was sent."),
  index: z
    .int()
    .nonnegative()
    .optional()
    .describe("0 and 1 for img1 and img2; for a candidate, its place in the request."),
});

export type Problem = z.infer<typeof Problem>;
