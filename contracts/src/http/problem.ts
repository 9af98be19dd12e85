import * as z from "zod";
import { Dependency } from "./dependency.ts";
import { ErrorCode } from "./errors.ts";
import { RequestId, requestIdDescription } from "./reply-fields.ts";

/** Body of every error reply: the members of RFC 9457, and the stable code in `error`. */
export const Problem = z.object({
  error: ErrorCode.describe("Stable code of the error, the field that programs should compare."),
  detail: z.string().describe("A sentence for people. It never repeats what was sent."),
  request_id: RequestId.describe(requestIdDescription),
  status: z.int().describe("HTTP status of the reply."),
  title: z.string().describe("Short name of the error; the same for every reply with this code."),
  type: z.string().describe("Address of the code's entry in the reference."),
  field: z
    .string()
    .optional()
    .describe(
      "The field or header at fault, by its own name even if an alias was sent. Absent if there is none.",
    ),
  index: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "0 for `img1` and 1 for `img2`; for a candidate, its position in the request, from 0. Absent if the " +
        "error concerns no image.",
    ),
  dependency: Dependency.optional().describe(
    "What is missing, if the code is `dependency_unavailable`. Absent with every other code.",
  ),
});

export type Problem = z.infer<typeof Problem>;
