import * as z from "zod";
import { Tenant } from "../wire/ids.ts";

/** What the durable Redis holds of an API key, as JSON, under the key's SHA-256. */
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(64),
  team: Tenant,
  createdAt: z.number().positive(),
  disabled: z.boolean(),
  /** The first characters of the key: what its holder knows it by, and far too few to guess the rest. */
  prefix: z.string().max(16).optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/**
 * Says that what is known of a key, or of a team and its keys, has changed. Lost, it is healed by the cache's
 * age.
 */
export const KeyChange = z.union([z.object({ sha256: z.hash("sha256") }), z.object({ team: Tenant })]);
export type KeyChange = z.infer<typeof KeyChange>;
