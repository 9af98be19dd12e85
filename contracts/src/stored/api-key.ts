import * as z from "zod";
import { Tenant } from "../wire/ids.ts";

/** Record of an API key in the durable Redis, as JSON, under the SHA-256 of the key. */
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(64),
  team: Tenant,
  createdAt: z.number().positive(),
  /** True from its revocation on. */
  disabled: z.boolean(),
  /** Epoch milliseconds from which the key is refused: another one replaces it. Absent: it has no end. */
  expiresAt: z.number().positive().optional(),
  /** First characters of the key, by which its holder recognizes it. Too few to guess the rest. */
  prefix: z.string().max(16).optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/**
 * Notice that a key, or a team and all its keys, changed. If the notice is lost, caches of the ingress expire
 * on their own.
 */
export const KeyChange = z.union([z.object({ sha256: z.hash("sha256") }), z.object({ team: Tenant })]);
export type KeyChange = z.infer<typeof KeyChange>;
