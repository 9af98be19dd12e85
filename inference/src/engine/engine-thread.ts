import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { type Lanes, openLanes } from "./lanes.ts";
import { type ModelledLanes, openModelledLanes } from "./modelled.ts";
import type { FromThread, ThreadOptions, ToThread } from "./thread-messages.ts";

// The engine's own thread: a run blocks it, and nothing else waits in it. Runs follow one another in the order in which
// they came.
assert(parentPort, "the engine's thread is started by the engine");
const service = parentPort;
const say = (message: FromThread) => service.postMessage(message);

const { modelled, ...options } = workerData as ThreadOptions;
const opening = modelled === undefined ? openLanes(options) : openModelledLanes(options, modelled);
const lanes = await opening.catch((error: Error) => error);
if (lanes instanceof Error) {
  say({ kind: "refused", reason: lanes.message });
} else {
  let last: Promise<void> = Promise.resolve();
  service.on("message", (message: ToThread) => {
    last = last.then(() => (message.kind === "close" ? close(lanes) : answer(lanes, message)));
  });
  say({ kind: "ready", lanes: lanes.loaded, fallbacks: lanes.fallbacks });
}

async function answer(lanes: OpenLanes, { run, work }: Extract<ToThread, { kind: "run" }>): Promise<void> {
  try {
    const { results, facts } = await lanes.run(work);
    say({ kind: "done", run, results, facts });
  } catch (error) {
    say({ kind: "failed", run, reason: error instanceof Error ? error.message : String(error) });
  }
}

async function close(lanes: OpenLanes): Promise<void> {
  await lanes[Symbol.asyncDispose]();
  // Without listeners the thread has nothing left to do, and ends.
  service.close();
}

type OpenLanes = Lanes | ModelledLanes;
