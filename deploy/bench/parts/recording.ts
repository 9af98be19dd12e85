import { randomBytes } from "node:crypto";
import { changesTable, measureInTurn, type SliceTimes } from "../modes-in-turn.ts";
import { openStack, type Part } from "../part.ts";
import { sum } from "../statistics.ts";
import { openVerifyLoad, verifyLoadPlan, verifyLoadTitle } from "../verify-load.ts";

/**
 * What `npm run plan -- record` costs, as CPU time of the services for each /verify, while calls are recorded
 * and while nobody reads them. The reader here does what the command does with the stream, but for the trace.
 */
export const recording: Part = async (bench) => {
  if (process.platform !== "linux") {
    return { plan: null, results: null, tables: "CPU time is measured on Linux only." };
  }
  const plan = {
    ...verifyLoadPlan(bench.quick),
    // The lines of the calls before are written by then: they go out every 200 ms.
    settleMs: 1_000,
    countedMs: 4_000,
    seed: 1,
  };
  await using load = await openVerifyLoad(bench.stop);
  const lines: number[] = [];
  const openStart = async () => {
    const stack = await openStack(bench, plan.settings, { operators: true });
    // That of the ingress comes first.
    const [port] = stack.operatorsPorts;
    return {
      measure: async (mode: Mode, times: SliceTimes): Promise<number> => {
        await using reader = mode === "recorded" ? await openReader(port!, bench.stop) : undefined;
        const { calls, cpuMs } = await load.measure(stack, { inFlight: plan.inFlight, ...times });
        if (reader !== undefined) {
          lines.push(reader.lines);
          if (reader.lines < calls / 2) throw new Error(`only ${reader.lines} calls were recorded`);
        }
        return cpuMs;
      },
      [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
    };
  };
  const starts = await measureInTurn(bench, { partName: "recording", plan, modes, openStart });
  const tables = [
    verifyLoadTitle,
    changesTable(
      starts,
      ["calls", "not recorded"],
      [
        { mode: "recorded", against: ["not recorded", "not recorded again"] },
        { mode: "not recorded again", against: ["not recorded"] },
      ],
    ),
    `${sum(lines)} lines of calls were read meanwhile. The second row shows what the comparison can tell.`,
  ];
  return { plan, results: starts, tables: tables.join("\n\n") };
};

const modes = ["not recorded", "recorded", "not recorded again"] as const;
type Mode = (typeof modes)[number];

/** Reads the calls of an ingress until it is disposed of. */
async function openReader(port: number, stop: AbortSignal): Promise<AsyncDisposable & { lines: number }> {
  const end = new AbortController();
  const salt = randomBytes(16).toString("hex");
  const signal = AbortSignal.any([stop, end.signal]);
  const reply = await fetch(`http://127.0.0.1:${port}/calls?salt=${salt}`, { signal });
  if (!reply.ok || reply.body === null) throw new Error(`/calls answered ${reply.status}`);
  const { body } = reply;
  const reader = {
    lines: 0,
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await ended;
    },
  };
  const ended = readLines(body, () => reader.lines++).catch((error: Error) => {
    if (!signal.aborted) throw error;
  });
  return reader;
}

async function readLines(body: ReadableStream<Uint8Array>, onLine: () => void): Promise<void> {
  const newline = 10;
  let length = 0;
  for await (const bytes of body) {
    for (const byte of bytes) {
      // An empty line shows that the connection works.
      if (byte === newline && length > 0) onLine();
      length = byte === newline ? 0 : length + 1;
    }
  }
}
