import * as z from "zod";

/** What a call needs besides the ingress, by the name that it has in answers, metrics and log lines. */
export const Dependency = z.enum(["kafka", "redis-volatile", "redis-durable", "batcher"]);
export type Dependency = z.infer<typeof Dependency>;
