import { type AdjustablePoolSettings, PoolSettingsChange } from "@faceline/runtime/operators/pool-settings";
import type { AdjustableSettings } from "../scheduling/state/state.ts";

/**
 * The settings of a batcher that operators change while it runs: what it was started with, what is in force
 * and the last changes. Decides and remembers; it depends on no port and no scheduler.
 */
export class SettingsChanges {
  readonly started: AdjustablePoolSettings;
  #settings: AdjustablePoolSettings;
  #revision = 0;
  readonly #changes: SettingsChange[] = [];

  constructor(started: AdjustablePoolSettings) {
    this.started = started;
    this.#settings = started;
  }

  get settings(): AdjustablePoolSettings {
    return this.#settings;
  }

  get isAsStarted(): boolean {
    return isSame(this.#settings, this.started);
  }

  get revision(): number {
    return this.#revision;
  }

  /** The newest first. */
  get changes(): readonly SettingsChange[] {
    return this.#changes;
  }

  /**
   * Takes the body of a PUT. `loadedMax`: the largest batch that a worker takes; undefined while none has
   * reported.
   */
  change(body: unknown, origin: ChangeOrigin, loadedMax: number | undefined): ChangeResult {
    const { success, data, error } = PoolSettingsChange.safeParse(body);
    if (!success) {
      const [issue] = error.issues;
      const place = issue!.path.join(".") || "the body";
      return { kind: "invalid", error: `${place}: ${issue!.message}` };
    }
    const { revision, settings } = data;
    if (revision !== this.#revision) {
      const error = `the settings have changed since: revision ${this.#revision}, not ${revision}; read them again`;
      return { kind: "outdated", error };
    }
    const fault = batchMaxFault(settings.batchMax, loadedMax);
    return fault === undefined ? this.#apply(settings, origin) : { kind: "impossible", error: fault };
  }

  reset(origin: ChangeOrigin): ChangeResult {
    return this.#apply(this.started, origin);
  }

  #apply(to: AdjustablePoolSettings, origin: ChangeOrigin): ChangeResult {
    const from = this.#settings;
    if (isSame(from, to)) return { kind: "unchanged" };
    const change = { ...origin, from, to };
    this.#settings = to;
    this.#revision++;
    this.#changes.unshift(change);
    this.#changes.length = Math.min(this.#changes.length, changesMax);
    return { kind: "changed", change };
  }
}

function batchMaxFault(batchMax: number | null, loadedMax: number | undefined): string | undefined {
  if (batchMax === null) return undefined;
  if (loadedMax === undefined) {
    return "no worker has reported its batch sizes yet; try again once one has";
  }
  if (batchMax <= loadedMax) return undefined;
  return `workers have loaded batches of at most ${loadedMax}; for ${batchMax} start them with BATCH_MAX=${batchMax}`;
}

const isSame = (one: AdjustablePoolSettings, other: AdjustablePoolSettings): boolean =>
  one.batchMax === other.batchMax &&
  one.utilisationTarget === other.utilisationTarget &&
  one.laneWaitingMax === other.laneWaitingMax;

/** Returns the settings as the scheduler has them. */
export const schedulerSettings = ({ batchMax, ...rest }: AdjustablePoolSettings): AdjustableSettings => ({
  ...rest,
  batchMax: batchMax ?? Number.POSITIVE_INFINITY,
});

const changesMax = 20;

/** `by`: as the operator has named itself. `at`: epoch ms. */
type ChangeOrigin = { by: string; at: number };
type SettingsChange = ChangeOrigin & { from: AdjustablePoolSettings; to: AdjustablePoolSettings };

export type ChangeResult =
  | { kind: "changed"; change: SettingsChange }
  | { kind: "unchanged" }
  | { kind: "invalid" | "outdated" | "impossible"; error: string };
