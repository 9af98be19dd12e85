import type { LoadedLane } from "@faceline/contracts/report";
import type { EngineWork, RunFacts, TaskResult } from "./work.ts";

/** Service → engine thread. */
export type ToThread = { kind: "run"; run: number; work: EngineWork } | { kind: "close" };

/** Engine thread → service. `ready` or `refused` comes first and once; then one answer for each run. */
export type FromThread =
  | { kind: "ready"; lanes: LoadedLane[] }
  | { kind: "refused"; reason: string }
  | { kind: "done"; run: number; results: TaskResult[]; facts: RunFacts }
  | { kind: "failed"; run: number; reason: string };
