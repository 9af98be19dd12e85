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

export const requestIdDescription =
  "Id of the call: the `x-request-id` that was sent, or one made by the service.";

/** Last fields of the reply of every compute call. */
export const replyFields = {
  time: z.number().nonnegative().describe("How long the service took for the call, in seconds."),
  request_id: RequestId.describe(requestIdDescription),
};
