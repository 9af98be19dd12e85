import * as z from "zod";
import { Tenant } from "./ids.ts";

/** What the durable Redis holds of an API key, as JSON, under the key's SHA-256. */
export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(64),
  team: Tenant,
  createdAt: z.number().positive(),
  disabled: z.boolean(),
});
export type ApiKey = z.infer<typeof ApiKey>;
