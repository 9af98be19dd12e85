import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { networkRuns, type Pause } from "../network/network.ts";
import { type Lanes, openLanes } from "./lanes.ts";
import type { FromThread, ThreadOptions, ToThread } from "./messages.ts";
import { type ModelledLanes, openModelledLanes } from "./modelled.ts";

// The engine's own thread. A run blocks it, and nothing else waits in it. Runs go one after another, in the
// order of their messages, and between the steps of a load.
assert(parentPort, "engine.ts starts this thread");
const service = parentPort;

/** Runs and loads take turns with the networks, in the order of their `take`. */
class Turns {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn, which ends with `release`. */
  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

const { modelled, ...options } = workerData as ThreadOptions;
const opening =
  modelled === undefined
    ? openLanes(options, (warmUp) => post({ kind: "warm_up", warmUp }))
    : openModelledLanes(options, modelled);
const lanes = await opening.catch((error: Error) => error);
if (lanes instanceof Error) {
  post({ kind: "start_failed", reason: lanes.message });
} else {
  const turns = new Turns();
  service.on("message", (message: ToThread) => {
    switch (message.kind) {
      case "run":
        return void turns.take().then(() => run(lanes, message).finally(() => turns.release()));
      case "load":
        return void change(lanes, message.lane, turns, (pause) => lanes.load(message.lane, pause));
      case "unload":
        return void change(lanes, message.lane, turns, () => lanes.unload(message.lane));
      case "close":
        // For ever: a load that is under way ends with the thread.
        return void turns.take().then(() => close(lanes));
    }
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

async function change(
  lanes: OpenLanes,
  lane: LaneId,
  turns: Turns,
  act: (pause: Pause) => Promise<void>,
): Promise<void> {
  await turns.take();
  try {
    await act(async () => {
      turns.release();
      // Messages that have come meanwhile are received now, and take their turn first.
      await setImmediate();
      await turns.take();
    });
    post({ kind: "lanes_changed", lane, lanes: lanes.loaded });
  } catch (error) {
    post({ kind: "change_failed", lane, reason: error instanceof Error ? error.message : String(error) });
  } finally {
    turns.release();
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
