import * as z from "zod";
import type { RunTimes } from "../prediction/predict.ts";
import { readFromPort } from "./operators-port.ts";

/**
 * Returns a function that reads the runs of a service's workers which it has not read before. The live page
 * of a worker lists its last 64: of one that ends more between two readings, some are missed. The function
 * throws an Error with a sentence where a port does not answer.
 */
export function recentRuns(ports: readonly string[], token: string | undefined): () => Promise<RunTimes[]> {
  const before = ports.map(() => new Set<string>());
  return async () => {
    const pages = await Promise.all(ports.map((port) => readRuns(port, token)));
    return pages.flatMap((page, port) => {
      const ended = page.filter((run) => !before[port]!.has(keyOf(run)));
      before[port] = new Set(page.map(keyOf));
      return ended;
    });
  };
}

/** Empty for a process that is no worker. */
async function readRuns(port: string, token: string | undefined): Promise<RunTimes[]> {
  const reply = await readFromPort(port, "/live.json", token);
  const { part } = LivePage.parse(await reply.json());
  return part.runs.map(({ bucket, prepareMs, runMs }) => ({ size: bucket, prepareMs, runMs }));
}

/** Runs have no ids on the page, but no two take the same times to the fraction of a ms. */
const keyOf = ({ size, prepareMs, runMs }: RunTimes): string => `${size} ${prepareMs} ${runMs}`;

/** What is read of a live page. */
const LivePage = z.object({
  part: z.object({
    runs: z.array(z.object({ bucket: z.number(), prepareMs: z.number(), runMs: z.number() })).default([]),
  }),
});
