import * as z from "zod";

/** What a request needs besides the ingress, by its name in responses, metrics and log lines. */
export const Dependency = z.enum(["kafka", "redis-volatile", "redis-durable", "batcher"]);
export type Dependency = z.infer<typeof Dependency>;
