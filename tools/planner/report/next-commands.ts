import { permanentSettings } from "./permanent-settings.ts";
import type { FoundPlan } from "./plan.ts";

/** Sets a plan on the batchers of `npm start`. `planFile`: undefined for the last one of the state folder. */
export const applyCommand = (planFile: string | undefined): string =>
  `npm run plan -- apply${planFile === undefined ? "" : ` ${quoted(planFile)}`}`;

export const applySentence =
  "It finds the batchers of npm start itself; others are named by --url, each with one of its own, and by " +
  "--token-file.";

/** Returns the restart that a plan needs before it can be applied; undefined where it can be at once. */
export function restartCommand({ winner }: FoundPlan, pool: RunningPool | undefined): string | undefined {
  const { workers, batchMax } = winner.settings;
  if (pool === undefined || (workers <= pool.workers && batchMax <= pool.loadedMax)) return undefined;
  return permanentSettings(winner.settings).npmStart;
}

const quoted = (text: string): string =>
  /^[\w/.,@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The pool that a plan is for. `loadedMax`: the largest batch that its workers have loaded. */
export type RunningPool = { workers: number; loadedMax: number };
