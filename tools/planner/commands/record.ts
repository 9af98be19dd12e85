import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseOptions } from "@faceline/models/parse-options";
import {
  type RecordingResult,
  recordCalls,
  recordingLines,
  traceBytesMax,
} from "../recording/record-calls.ts";
import { readSettings, settingsInForce } from "../recording/service-settings.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { tokenOf } from "./inputs.ts";
import { findRunning } from "./running.ts";

export const recordUsage = `npm run plan -- record [options]

Writes a trace of the traffic: for each request its time, a number for its tenant, its lane, deadline and outcome,
and the bytes and pixels of its images, but no names, addresses or images. The first line has the times that the
ingresses measured for these requests.

  --operators LIST     operators' ports of all ingresses and batchers, as http://127.0.0.1:9464  [those of
                       npm start]. The settings in force are read of batchers. Nothing is restarted
  --token-file FILE    the operators' token
  --seconds N          [600]
  --bytes-max N        size of the trace at which recording stops  [${traceBytesMax}]
  --out FILE           [.faceline/plan/trace.jsonl]

Ctrl-C stops it and keeps what was recorded so far.
`;

/** Records traffic into a trace. Returns the exit code. */
export async function record(args: string[], context: CommandContext): Promise<number> {
  const { values } = parseOptions({ args, options });
  const file = values.out ?? join(context.stateFolder, "plan", "trace.jsonl");
  const result = await recordService(values, file, context);
  for (const line of recordingLines(result, file)) context.print(line);
  return result.calls === 0 ? 2 : 0;
}

async function recordService(
  values: RecordOptions,
  file: string,
  { stateFolder, print, progress }: CommandContext,
): Promise<RecordingResult> {
  const running = values.operators === undefined ? await findRunning(stateFolder) : undefined;
  const ports = values.operators?.split(",") ?? [...running!.ingresses, ...running!.batchers];
  const token = running?.token ?? tokenOf(values);
  const read = await Promise.all(ports.map((port) => readSettings(port, token)));
  const ingresses = ports.filter((_, index) => read[index] === undefined);
  const seconds = positive(values.seconds, "--seconds");
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end);
  try {
    return await recordCalls({
      file,
      ingresses,
      token,
      settings: settingsInForce(read),
      bytesMax: positive(values["bytes-max"], "--bytes-max"),
      stop: stop.signal,
      onOpen: () => {
        const from = ingresses.length === 1 ? "one ingress" : `${ingresses.length} ingresses`;
        print(`Recording from ${from} for ${seconds} s. Ctrl-C ends it.`);
        void sleep(1_000 * seconds, undefined, { signal: stop.signal }).then(end, () => {});
      },
      progress,
    });
  } finally {
    end();
    process.off("SIGINT", end);
  }
}

const options = {
  operators: { type: "string" },
  "token-file": { type: "string" },
  seconds: { type: "string", default: "600" },
  "bytes-max": { type: "string", default: `${traceBytesMax}` },
  out: { type: "string" },
} as const;

type RecordOptions = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];
