import * as z from "zod";

/**
 * A client's own id, or a UUIDv7 that the ingress made. It may be reused freely: it never joins two calls.
 */
export const RequestId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .brand<"RequestId">();
export type RequestId = z.infer<typeof RequestId>;

/** What the reply of every compute call ends with. */
export const replyFields = {
  time: z.number().nonnegative().describe("Seconds."),
  request_id: RequestId,
};
