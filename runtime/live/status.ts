import { percent } from "./format.ts";
import type { LiveState, LiveStatus } from "./state.ts";

/** Returns the worst of: what the service says of itself, failing checks, and a full volatile Redis. */
export function processStatus({ checks, health: { redis }, status }: LiveState): LiveStatus {
  if (status.level === "problem") return status;
  const failing = Object.keys(checks).filter((name) => !checks[name]);
  if (failing.length > 0) {
    return problem("Not ready", failing.map((name) => checkWords[name] ?? `${name} has failed.`).join(" "));
  }
  const full = redis === undefined || redis.maxBytes === 0 ? 0 : redis.usedBytes / redis.maxBytes;
  if (full < 0.9) return status;
  const detail = `The volatile Redis has ${percent(full)} of its maxmemory in use, and refuses images and results at 100%.`;
  return attention("Redis is nearly full", detail);
}

/** Meaning of the failure of each check of /readyz. */
const checkWords: Record<string, string> = {
  start: "It is starting or stopping.",
  "redis-volatile":
    "The volatile Redis has not answered lately, or its configuration is not safe for images: the log says which.",
  kafka: "Kafka has not answered lately.",
  serving: "It accepts no requests: it is stopping.",
  connections: "All its connections are taken: CONNECTIONS_MAX is reached.",
};

export const ok = (title: string, detail: string): LiveStatus => ({ level: "ok", title, detail });
export const attention = (title: string, detail: string): LiveStatus => ({
  level: "attention",
  title,
  detail,
});
export const problem = (title: string, detail: string): LiveStatus => ({ level: "problem", title, detail });
