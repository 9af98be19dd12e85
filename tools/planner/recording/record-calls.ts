import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { MeasuredCalls } from "../trace/measured-calls.ts";
import { TraceWriter } from "../trace/trace-writer.ts";
import { followCalls } from "./follow-calls.ts";
import { MeasuredTimes } from "./measured-times.ts";
import { Recording } from "./recording.ts";

/** Writes a trace of the calls of ingresses until `stop` aborts. A trace that is full ends it too. */
export async function recordCalls(plan: RecordingPlan): Promise<RecordingResult> {
  const { file, ingresses, token, settings, bytesMax, progress } = plan;
  mkdirSync(dirname(file), { recursive: true });
  using writer = new TraceWriter(file, bytesMax);
  const recording = new Recording();
  const times = new MeasuredTimes();
  /** Returns false once the trace is full. */
  const write = (now?: number) => recording.take(now).every((call) => writer.add(call));
  const full = new AbortController();
  let [lastAt, open, seen, dropped, isFull] = [0, 0, 0, 0, false];
  const follow = {
    salt: randomBytes(16).toString("hex"),
    token,
    stop: AbortSignal.any([plan.stop, full.signal]),
    onOpen: () => {
      if (++open === ingresses.length) plan.onOpen();
    },
    onCall: (call: Parameters<Recording["add"]>[0]) => {
      seen++;
      recording.add(call);
      times.add(call);
      lastAt = Math.max(lastAt, call.at);
      plan.onCall?.();
    },
    onDropped: (count: number) => void (dropped += count),
  };
  const timer = setInterval(() => {
    progress(`recording: ${seen} calls`);
    if (write(lastAt)) return;
    isFull = true;
    full.abort();
  }, writeEveryMs);
  try {
    await Promise.all(ingresses.map((port) => followCalls(port, follow)));
  } finally {
    // Also where a port breaks off: the calls until then are a trace.
    clearInterval(timer);
    full.abort();
    if (!isFull) isFull = !write();
    const measured = times.summary(settings);
    if (measured !== undefined) writer.addMeasured(measured);
  }
  progress("");
  return { calls: writer.calls, isFull, dropped, ...recording.counts };
}

/** Returns what is to be said of a recording, as lines. */
export function recordingLines(
  { calls, isFull, dropped, guessed, unknown }: RecordingResult,
  file: string,
): string[] {
  return [
    ...(calls > 0
      ? [`${calls} requests were written to ${file}.`]
      : ["No requests came, so no trace was written."]),
    ...(isFull ? ["The trace is full: recording stopped early."] : []),
    ...(dropped > 0 ? [`${dropped} requests are missing: this command was too slow for them.`] : []),
    ...(guessed > 0
      ? [
          `${guessed} requests were refused unread; they are assumed to have the images of the previous request.`,
        ]
      : []),
    ...(unknown > 0
      ? [`${unknown} requests were refused unread before any other of their tenant, and left out.`]
      : []),
  ];
}

const writeEveryMs = 1_000;

export const traceBytesMax = 100_000_000;

type RecordingPlan = {
  file: string;
  /** Operators' ports. */
  ingresses: readonly string[];
  token: string | undefined;
  /** Settings of the pool meanwhile, for the trace. */
  settings: MeasuredCalls["settings"];
  bytesMax: number;
  stop: AbortSignal;
  /** Called once all ingresses send their calls. */
  onOpen(): void;
  onCall?(): void;
  progress(line: string): void;
};

/** `guessed`: calls with the images of another one. `unknown`: calls without any, which were left out. */
export type RecordingResult = {
  calls: number;
  isFull: boolean;
  dropped: number;
  guessed: number;
  unknown: number;
};
