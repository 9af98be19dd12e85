import { PoolSettings } from "@faceline/runtime/operators/pool-settings";
import type { MeasuredCalls } from "../trace/trace-file.ts";

/**
 * Reads the settings of a batcher from its operators' port. Undefined for a port of another process: batchers
 * alone have settings. Throws an Error with a sentence where the port does not answer or refuses the token.
 */
export async function readSettings(
  port: string,
  token: string | undefined,
): Promise<PoolSettings | undefined> {
  const url = new URL("/settings", port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) }).catch(
    (cause: Error) => {
      const { code = "the connection failed" } = (cause.cause ?? {}) as { code?: string };
      throw new Error(`${url.origin} cannot be reached (${code}). Is OPERATORS_PORT set?`, { cause });
    },
  );
  if (reply.status === 401) {
    const what = token === undefined ? "needs the operators' token: --token-file FILE" : "refuses this token";
    throw new Error(`${url.origin} ${what}.`);
  }
  return reply.ok ? PoolSettings.safeParse(await reply.json()).data : undefined;
}

/** Returns what a prediction needs of the active batcher; undefined without one that has workers. */
export function settingsInForce(read: readonly (PoolSettings | undefined)[]): MeasuredCalls["settings"] {
  const active = read.find((each) => each?.role === "active");
  if (active === undefined || (active.workers ?? 0) < 1) return undefined;
  const { settings, lanes, workers } = active;
  const loaded = Math.max(1, ...lanes.flatMap(({ sizes }) => sizes));
  return {
    workers: workers!,
    batchMax: Math.min(settings.batchMax ?? loaded, loaded),
    utilisationTarget: settings.utilisationTarget,
  };
}

const requestMs = 5_000;
