import * as z from "zod";
import { Dependency } from "./dependency.ts";
import { ErrorCode } from "./errors.ts";
import { RequestId, requestIdDescription } from "./response-fields.ts";

/** Body of every error response: the members of RFC 9457, and the stable code in `error`. */
export const Problem = z.object({
  error: ErrorCode.describe("Stable error code. Programs should check this field."),
  detail: z.string().describe("Human-readable explanation. It never contains values from the request."),
  request_id: RequestId.describe(requestIdDescription),
  status: z.int().describe("HTTP status of the response."),
  title: z.string().describe("Short title of the error code."),
  type: z.string().describe("URL of the error code in the reference."),
  field: z
    .string()
    .optional()
    .describe(
      "The invalid field or header. An alias is reported under the name of its field. Absent if no field is invalid.",
    ),
  index: z
    .int()
    .nonnegative()
    .optional()
    .describe(
      "The image at fault: 0 for `img1` and 1 for `img2`; for a candidate, its position in the request, starting at 0. Absent if the error is not about a single image.",
    ),
  dependency: Dependency.optional().describe(
    "The dependency that is unavailable. Present only with the code `dependency_unavailable`.",
  ),
});

export type Problem = z.infer<typeof Problem>;
