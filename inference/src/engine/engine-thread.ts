import assert from "node:assert/strict";
import { parentPort, workerData } from "node:worker_threads";
import { networkRuns } from "../network/network.ts";
import { type Lanes, openLanes } from "./lanes.ts";
import type { FromThread, ThreadOptions, ToThread } from "./messages.ts";
import { type ModelledLanes, openModelledLanes } from "./modelled.ts";

// The engine's own thread. A run blocks it, and nothing else waits in it. Runs go one after another, in the
// order of their messages.
assert(parentPort, "engine.ts starts this thread");
const service = parentPort;

const { modelled, ...options } = workerData as ThreadOptions;
const opening =
  modelled === undefined
    ? openLanes(options, (warmUp) => post({ kind: "warm_up", warmUp }))
    : openModelledLanes(options, modelled);
const lanes = await opening.catch((error: Error) => error);
if (lanes instanceof Error) {
  post({ kind: "start_failed", reason: lanes.message });
} else {
  let last = Promise.resolve();
  service.on("message", (message: ToThread) => {
    last = last.then(() => (message.kind === "run" ? run(lanes, message) : close(lanes)));
  });
  post({ kind: "ready", lanes: lanes.loaded, networkRuns });
}

async function run(lanes: OpenLanes, { run, work }: Extract<ToThread, { kind: "run" }>): Promise<void> {
  try {
    post({ kind: "done", run, ...(await lanes.run(work)) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    post({ kind: "failed", run, reason, lanes: lanes.loaded });
  }
}

async function close(lanes: OpenLanes): Promise<void> {
  await lanes[Symbol.asyncDispose]();
  // Without a listener the thread has nothing left to do and ends.
  service.close();
}

function post(message: FromThread): void {
  service.postMessage(message);
}

type OpenLanes = Lanes | ModelledLanes;
