import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { WarmUp } from "../network/network.ts";
import type { LaneOptions } from "./lanes.ts";
import type { RunCost } from "./modelled.ts";
import type { EngineWork, RunUsage, TaskResult } from "./work.ts";

/** Messages between the service and the engine's thread. */

/** The thread's workerData. With `modelled`, a run is a wait and no network is loaded. */
export type ThreadOptions = LaneOptions & { modelled: RunCost | undefined };

/** Service → engine thread. */
export type ToThread = { kind: "run"; run: number; work: EngineWork } | { kind: "close" };

/**
 * Engine thread → service. First `ready` or `start_failed`, then one answer for each run. While lanes
 * load, before `ready`, there is a `warm_up` for each size of each network.
 */
export type FromThread =
  | { kind: "warm_up"; warmUp: WarmUp }
  /** `networkRuns`: see network.ts. */
  | { kind: "ready"; lanes: LoadedLane[]; networkRuns: Int32Array }
  | { kind: "start_failed"; reason: string }
  | { kind: "done"; run: number; results: TaskResult[]; usage: RunUsage }
  /** `lanes` has fewer sizes if the run was out of memory. */
  | { kind: "failed"; run: number; reason: string; lanes: LoadedLane[] };
