import { writeFileSync } from "node:fs";
import { parseOptions } from "@faceline/models/parse-options";
import { LaneId } from "@faceline/contracts/wire/ids";
import { replayTrace } from "../replay/load.ts";
import { type PictureStock, stockPictures } from "../replay/picture-stock.ts";
import { outcomesOf } from "../replay/replayed-calls.ts";
import { amountText } from "../report/words.ts";
import { positive, trafficOf, trafficOptions, trafficUsage } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { readLines, readPictures, samplesFolder } from "./inputs.ts";
import { findRunning } from "./running.ts";

export const replayUsage = `npm run plan -- replay [options]

Sends traffic to a running service and prints the outcomes. Requests are sent when due, whether or not earlier ones
were answered, and put real load on the service. Images are made from the sample images, with the bytes and pixels
of the trace.

  --url URL            an ingress  [that of npm start]
  --key-file FILE      API keys, one per line; tenants use them in turn. The limits of their teams apply
${trafficUsage}
  --in-flight-max N    requests above this are not sent, but counted  [4000]
  --json FILE          writes every number
`;

/** Replays traffic and prints how it went. Returns the exit code. */
export async function replay(args: string[], context: CommandContext): Promise<number> {
  const { stateFolder, print, progress } = context;
  const { values } = parseOptions({ args, options });
  if ((values.url === undefined) !== (values["key-file"] === undefined)) {
    throw new Error("replay needs both --url URL, of an ingress, and --key-file FILE, or neither.");
  }
  const running = values.url === undefined ? await findRunning(stateFolder) : undefined;
  const url = values.url ?? running!.address;
  const keys =
    values["key-file"] === undefined
      ? [running!.key].flatMap((key) => key ?? [])
      : readLines(values["key-file"]);
  if (keys.length === 0) throw new Error("npm start has made no key: give one by --url and --key-file.");
  const traffic = await trafficOf(values, LaneId.parse("Dlib/ssd"));
  const trace = traffic.withTenants(keys.length);
  const stock = await stockPictures(trace, readPictures(samplesFolder), progress);
  print(`${trace.calls} requests in ${(trace.durationMs / 1_000).toFixed(0)} s to ${url}.`);
  const tenants = new Set(traffic.columns.tenant).size;
  if (tenants > keys.length) {
    print(`${tenants} tenants of the trace share ${amountText(keys.length, "key")}: each key is one team.`);
  }
  for (const mark of stockMarks(stock)) print(mark);
  const plan = { url, keys, inFlightMax: positive(values["in-flight-max"], "--in-flight-max") };
  const startedAt = performance.now();
  const calls = await replayTrace({ trace, stock, plan, progress });
  const measured = { ...outcomesOf(calls), forMs: performance.now() - startedAt };
  progress("");
  const counts = Object.entries(measured.outcomes).filter(([, count]) => count > 0);
  print(`Requests: ${counts.map(([outcome, count]) => `${count} ${outcome}`).join(", ")}.`);
  print(`Answered in ${measured.p50Ms.toFixed(1)} ms in the median and ${measured.p99Ms.toFixed(1)} at p99.`);
  print(
    `The generator sent them late by at most ${measured.sentLateMs.toFixed(1)} ms, which counts as latency.`,
  );
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ measured }, null, 1));
  return 0;
}

function stockMarks({ roundedTo, larger }: PictureStock): string[] {
  const marks: string[] = [];
  if (roundedTo > 1)
    marks.push(`The trace has many sizes of images: those within ${roundedTo} times share one.`);
  if (larger > 0) marks.push(`${larger} images have more bytes than recorded: a photograph did not fit.`);
  return marks;
}

const options = {
  url: { type: "string" },
  "key-file": { type: "string" },
  ...trafficOptions,
  "in-flight-max": { type: "string", default: "4000" },
  json: { type: "string" },
} as const;
