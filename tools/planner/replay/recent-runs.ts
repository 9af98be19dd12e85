import type { LiveRun } from "@faceline/runtime/live/state";
import { LaneId } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import type { RunTimes } from "../prediction/predict.ts";
import { readFromPort } from "./operators-port.ts";

/**
 * Returns a function that reads those runs of a lane which it has not read before. The live page of a worker
 * lists its last 64 runs: of one that ends more between two readings, some are missed. Runs that failed are
 * left out. The function throws an Error with a sentence where a port does not answer.
 */
export function recentRuns(
  ports: readonly string[],
  { lane, token }: { lane: LaneId; token: string | undefined },
): () => Promise<RunTimes[]> {
  const before = ports.map(() => new Set<string>());
  return async () => {
    const pages = await Promise.all(ports.map((port) => readRuns(port, { lane, token })));
    return pages.flatMap((page, port) => {
      const ended = page.filter((run) => !before[port]!.has(keyOf(run)));
      before[port] = new Set(page.map(keyOf));
      return ended;
    });
  };
}

/** Empty for a process that is no worker. */
async function readRuns(
  port: string,
  { lane, token }: { lane: LaneId; token: string | undefined },
): Promise<RunTimes[]> {
  const reply = await readFromPort(port, "/live.json", token);
  const { part } = LivePage.parse(await reply.json());
  if (part.kind !== "inference") return [];
  return part.runs
    .filter((run) => run.lane === lane && run.isAnswered)
    .map(({ bucket, prepareMs, runMs }) => ({ size: bucket, prepareMs, runMs }));
}

/** Runs have no ids on the page, but no two take the same times to the fraction of a ms. */
const keyOf = ({ size, prepareMs, runMs }: RunTimes): string => `${size} ${prepareMs} ${runMs}`;

/** What is read of a live page. */
const Run = z.object({
  lane: LaneId,
  bucket: z.number(),
  prepareMs: z.number(),
  runMs: z.number(),
  isAnswered: z.boolean(),
}) satisfies z.ZodType<Partial<LiveRun>>;

const LivePage = z.object({
  part: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("inference"), runs: z.array(Run) }),
    z.object({ kind: z.enum(["batcher", "ingress"]) }),
  ]),
});
