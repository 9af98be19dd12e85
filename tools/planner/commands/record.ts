import { randomBytes } from "node:crypto";
import { createReadStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { LaneId } from "@faceline/contracts/wire/ids";
import { isServiceLogLine, parseAccessLine } from "../recording/access-log.ts";
import { followCalls } from "../recording/follow-calls.ts";
import { Recording } from "../recording/recording.ts";
import { TraceWriter } from "../trace/trace-writer.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { tokenOf } from "./inputs.ts";

export const recordUsage = `npm run plan -- record --operators LIST [options]
npm run plan -- record --from LOG [options]

Writes a trace of the traffic: of each call when it came, a number for its tenant, its lane, its deadline, how
it ended, and the bytes and pixels of its pictures. Nothing else: no name, no address, no picture.

  --operators LIST     operators' ports of all ingresses, as http://127.0.0.1:9464. Nothing is restarted
  --token-file FILE    the operators' token
  --seconds N          [600]
  --from LOG           an access log in the Common or Combined Log Format, of a proxy before the service: as
                       nginx and Apache write it by default, and HAProxy with option httplog clf
    --lane LANE, --deadline MS, --picture-bytes N, --picture-pixels N
                       what such a log does not say  [Dlib/ssd, 30000, 40000, 327680]
  --bytes-max N        size of the trace, at which recording ends  [100000000]
  --out FILE           [.faceline/plan/trace.jsonl]

Ctrl-C ends it; what was recorded until then is a trace.
`;

/** Records traffic into a trace. Returns the exit code. */
export async function record(
  args: string[],
  { stateFolder, print, progress }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args, options });
  const { operators, from } = values;
  if ((operators === undefined) === (from === undefined)) {
    throw new Error("record needs either --operators LIST, of ingresses, or --from LOG.");
  }
  if (from !== undefined) await refuseServiceLog(from);
  const out = values.out ?? join(stateFolder, "plan", "trace.jsonl");
  mkdirSync(dirname(out), { recursive: true });
  using writer = new TraceWriter(out, positive(values["bytes-max"], "--bytes-max"));
  const recording = new Recording();
  /** Returns false once the trace is full. */
  const write = (now?: number) => recording.take(now).every((call) => writer.add(call));

  let dropped = 0;
  let isFull = false;
  let linesOfLog = 0;
  if (from === undefined) {
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once("SIGINT", end);
    const token = tokenOf(values);
    const ports = operators!.split(",");
    const seconds = positive(values.seconds, "--seconds");
    let lastAt = 0;
    let open = 0;
    let seen = 0;
    const follow = {
      salt: randomBytes(16).toString("hex"),
      token,
      stop: stop.signal,
      onOpen: () => {
        if (++open < ports.length) return;
        const from = ports.length === 1 ? "one ingress" : `${ports.length} ingresses`;
        print(`Recording from ${from} for ${seconds} s. Ctrl-C ends it.`);
      },
      onCall: (call: Parameters<Recording["add"]>[0]) => {
        seen++;
        recording.add(call);
        lastAt = Math.max(lastAt, call.at);
      },
      onDropped: (count: number) => void (dropped += count),
    };
    const timer = setInterval(() => {
      progress(`recording: ${seen} calls`);
      if (write(lastAt)) return;
      isFull = true;
      end();
    }, writeEveryMs);
    const over = sleep(1_000 * seconds, undefined, { signal: stop.signal });
    void over.then(end, () => {});
    try {
      await Promise.all(ports.map((port) => followCalls(port, follow)));
    } finally {
      // Also where a port breaks off: the calls until then are a trace.
      clearInterval(timer);
      end();
      process.off("SIGINT", end);
      if (!isFull) isFull = !write();
    }
  } else {
    const given = {
      lane: LaneId.parse(values.lane),
      deadlineMs: positive(values.deadline, "--deadline"),
      bytes: positive(values["picture-bytes"], "--picture-bytes"),
      pixels: positive(values["picture-pixels"], "--picture-pixels"),
    };
    let lastAt = 0;
    for await (const line of createInterface({ input: createReadStream(from, "utf8") })) {
      linesOfLog++;
      const call = parseAccessLine(line, given, Math.random);
      if (call === undefined) continue;
      recording.add(call);
      lastAt = Math.max(lastAt, call.at);
      if (recording.held < heldMax) continue;
      isFull ||= !write(lastAt);
      if (isFull) break;
    }
    isFull ||= !write();
  }
  progress("");
  const { guessed, unknown } = recording.counts;
  if (writer.calls > 0) print(`${writer.calls} calls were written to ${out}.`);
  if (isFull) print("The trace is full: recording ended before its time.");
  if (dropped > 0) print(`${dropped} calls are missing: this command was too slow for them.`);
  if (guessed > 0) print(`${guessed} calls were refused unread; they have the pictures of the call before.`);
  if (unknown > 0)
    print(`${unknown} calls were refused unread before any other of their tenant, and left out.`);
  if (writer.calls === 0) {
    print("No calls came, so no trace was written.");
    if (from !== undefined) print(`None of the ${linesOfLog} lines of ${from} ${isNoCall}`);
  }
  return writer.calls === 0 ? 2 : 0;
}

const options = {
  operators: { type: "string" },
  "token-file": { type: "string" },
  seconds: { type: "string", default: "600" },
  from: { type: "string" },
  lane: { type: "string", default: "Dlib/ssd" },
  deadline: { type: "string", default: "30000" },
  "picture-bytes": { type: "string", default: "40000" },
  "picture-pixels": { type: "string", default: "327680" },
  "bytes-max": { type: "string", default: "100000000" },
  out: { type: "string" },
} as const;

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
  "is the log of a Faceline service. It names neither tenants nor pictures, and counts refused calls together: " +
  "no trace can be made of it. Record the running ingresses with --operators, or give the access log of a proxy.";
const isNoCall =
  "is a POST of /represent, /verify or /compare in the Common or Combined Log Format. nginx and Apache write " +
  "that by default, HAProxy with option httplog clf.";

const writeEveryMs = 1_000;
/** Lines of a log that wait for their order. */
const heldMax = 100_000;
