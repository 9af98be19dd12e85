import { LaneId } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import type { MeasuredCalls } from "../trace/measured-calls.ts";

/** The part of /live.json of a batcher that a plan needs. */
const BatcherState = z
  .object({
    facts: z.object({
      role: z.string(),
      utilisationTarget: z.coerce.number(),
      workersInService: z.number().int(),
    }),
    tables: z.object({
      lanes: z.array(
        z.object({ lane: LaneId, build: z.string().nullable(), loadedSizes: z.array(z.number().int()) }),
      ),
    }),
  })
  .transform(
    ({ facts, tables }): ServiceSettings => ({
      isActive: facts.role === "active",
      utilisationTarget: facts.utilisationTarget,
      workers: facts.workersInService,
      lanes: tables.lanes.flatMap(({ lane, build, loadedSizes }) =>
        build === null ? [] : [{ lane, digest: build, sizes: loadedSizes }],
      ),
    }),
  );

/**
 * Reads the settings of a batcher from its operators' port. Undefined for a port of another process. Throws
 * an Error with a sentence if the port does not answer or refuses the token.
 */
export async function readSettings(
  port: string,
  token: string | undefined,
): Promise<ServiceSettings | undefined> {
  const url = new URL("/live.json", port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) }).catch(
    (cause: Error) => {
      const { code = "the connection failed" } = (cause.cause ?? {}) as { code?: string };
      throw new Error(`${url.origin} cannot be reached (${code}). Is OPERATORS_PORT set?`, { cause });
    },
  );
  if (response.status === 401) {
    const what = token === undefined ? "needs the operators' token: --token-file FILE" : "refuses this token";
    throw new Error(`${url.origin} ${what}.`);
  }
  return response.ok ? BatcherState.safeParse(await response.json()).data : undefined;
}

/** Returns what a prediction needs of the active batcher; undefined without one that has workers. */
export function settingsInForce(read: readonly (ServiceSettings | undefined)[]): MeasuredCalls["settings"] {
  const active = read.find((each) => each?.isActive);
  if (active === undefined || active.workers < 1) return undefined;
  const { utilisationTarget, workers } = active;
  return { workers, batchMax: loadedMax(active), utilisationTarget };
}

/** The largest batch that the workers have loaded, at least 1. */
const loadedMax = ({ lanes }: ServiceSettings): number => Math.max(1, ...lanes.flatMap(({ sizes }) => sizes));

const requestMs = 5_000;

/** Settings of a batcher, its workers in service and the lanes that they have loaded. */
export type ServiceSettings = {
  isActive: boolean;
  utilisationTarget: number;
  workers: number;
  lanes: { lane: LaneId; digest: string; sizes: number[] }[];
};
