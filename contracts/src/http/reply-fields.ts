import * as z from "zod";

/**
 * Id of a call: the client's own, or a UUIDv7 from the ingress. A client may reuse an id, because the nonce
 * of `CallId` tells the calls apart.
 */
export const RequestId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .brand<"RequestId">();
export type RequestId = z.infer<typeof RequestId>;

/** Last fields of the reply of every compute call. */
export const replyFields = {
  time: z.number().nonnegative().describe("Seconds."),
  request_id: RequestId,
};
