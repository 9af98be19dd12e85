import { createReadStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseOptions } from "@faceline/models/parse-options";
import { LaneId } from "@faceline/contracts/wire/ids";
import { isServiceLogLine, parseAccessLine } from "../recording/access-log.ts";
import {
  type RecordingResult,
  recordCalls,
  recordingLines,
  traceBytesMax,
} from "../recording/record-calls.ts";
import { Recording } from "../recording/recording.ts";
import { readSettings, settingsInForce } from "../recording/service-settings.ts";
import { TraceWriter } from "../trace/trace-writer.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { tokenOf } from "./inputs.ts";
import { findRunning } from "./running.ts";

export const recordUsage = `npm run plan -- record [options]
npm run plan -- record --from LOG [options]

Writes a trace of the traffic: for each request its time, a number for its tenant, its lane, deadline and outcome,
and the bytes and pixels of its images, but no names, addresses or images. The first line has the times that the
ingresses measured for these requests.

  --operators LIST     operators' ports of all ingresses and batchers, as http://127.0.0.1:9464  [those of
                       npm start]. The settings in force are read of batchers. Nothing is restarted
  --token-file FILE    the operators' token
  --seconds N          [600]
  --from LOG           an access log of a proxy, in the Common or Combined Log Format: as
                       nginx and Apache write it by default, and HAProxy with option httplog clf
    --lane LANE, --deadline MS, --image-bytes N, --image-pixels N
                       values missing in such a log  [Dlib/ssd, 30000, 40000, 327680]
  --bytes-max N        size of the trace at which recording stops  [${traceBytesMax}]
  --out FILE           [.faceline/plan/trace.jsonl]

Ctrl-C stops it and keeps what was recorded so far.
`;

/** Records traffic into a trace. Returns the exit code. */
export async function record(args: string[], context: CommandContext): Promise<number> {
  const { values } = parseOptions({ args, options });
  const { operators, from } = values;
  if (operators !== undefined && from !== undefined) {
    throw new Error("record needs either --operators LIST or --from LOG.");
  }
  const file = values.out ?? join(context.stateFolder, "plan", "trace.jsonl");
  const result =
    from === undefined ? await recordService(values, file, context) : await readLog(from, values, file);
  for (const line of recordingLines(result, file)) context.print(line);
  if (result.calls === 0 && from !== undefined) {
    context.print(`None of the ${result.lines} lines of ${from} ${isNoCall}`);
  }
  return result.calls === 0 ? 2 : 0;
}

async function recordService(
  values: RecordOptions,
  file: string,
  { stateFolder, print, progress }: CommandContext,
): Promise<RecordingResult & { lines: number }> {
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
    const result = await recordCalls({
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
    return { ...result, lines: 0 };
  } finally {
    end();
    process.off("SIGINT", end);
  }
}

/** Makes a trace of an access log. `lines`: those that were read. */
async function readLog(
  log: string,
  values: RecordOptions,
  file: string,
): Promise<RecordingResult & { lines: number }> {
  await refuseServiceLog(log);
  mkdirSync(dirname(file), { recursive: true });
  using writer = new TraceWriter(file, positive(values["bytes-max"], "--bytes-max"));
  const recording = new Recording();
  const write = (now?: number) => recording.take(now).every((call) => writer.add(call));
  const given = {
    lane: LaneId.parse(values.lane),
    deadlineMs: positive(values.deadline, "--deadline"),
    bytes: positive(values["image-bytes"], "--image-bytes"),
    pixels: positive(values["image-pixels"], "--image-pixels"),
  };
  let [lastAt, lines, isFull] = [0, 0, false];
  for await (const line of createInterface({ input: createReadStream(log, "utf8") })) {
    lines++;
    const call = parseAccessLine(line, given, Math.random);
    if (call === undefined) continue;
    recording.add(call);
    lastAt = Math.max(lastAt, call.at);
    if (recording.held < heldMax) continue;
    isFull ||= !write(lastAt);
    if (isFull) break;
  }
  isFull ||= !write();
  return { calls: writer.calls, isFull, dropped: 0, lines, ...recording.counts };
}

const options = {
  operators: { type: "string" },
  "token-file": { type: "string" },
  seconds: { type: "string", default: "600" },
  from: { type: "string" },
  lane: { type: "string", default: "Dlib/ssd" },
  deadline: { type: "string", default: "30000" },
  "image-bytes": { type: "string", default: "40000" },
  "image-pixels": { type: "string", default: "327680" },
  "bytes-max": { type: "string", default: `${traceBytesMax}` },
  out: { type: "string" },
} as const;

type RecordOptions = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];

async function refuseServiceLog(file: string): Promise<void> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(file, "utf8") })) {
    if (isServiceLogLine(line)) throw new Error(`${file} ${isOfService}`);
    if (++lines === linesLookedAt) return;
  }
}

/** Others may stand before those of a service, such as those of a container. */
const linesLookedAt = 1_000;
const isOfService =
  "is the log of a Faceline service. It names neither tenants nor images, and counts refused requests together: " +
  "no trace can be made of it. Record the running ingresses with --operators, or give the access log of a proxy.";
const isNoCall =
  "is a POST of /represent, /verify or /compare in the Common or Combined Log Format. nginx and Apache write " +
  "that by default, HAProxy with option httplog clf.";

/** Lines of a log that wait for their order. */
const heldMax = 100_000;
