import * as z from "zod";

/** A call of a team that failed, in the durable Redis, as JSON. Its error code is in the name of its list. */
export const RecentError = z.object({
  /** When it ended, in epoch ms. */
  at: z.number().positive(),
  endpoint: z.string(),
  requestId: z.string(),
  /** Id of the API key that it was sent with. The key's name may change, so it is looked up when shown. */
  keyId: z.string().optional(),
});
export type RecentError = z.infer<typeof RecentError>;

/** Most errors of a team and error code, so that a flood of one code does not displace the others. */
export const recentErrorsMax = 20;
