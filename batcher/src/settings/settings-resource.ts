import type { PoolSettings } from "@faceline/runtime/operators/pool-settings";
import type { OperatorsResource, ResourceReply } from "@faceline/runtime/operators/server";
import type { Event, State } from "../scheduling/state/state.ts";
import { isInService } from "../scheduling/state/workers.ts";
import { type ChangeResult, type SettingsChanges, schedulerSettings } from "./settings-changes.ts";

/**
 * The settings of this batcher on its operators' port:
 *
 *     GET /settings      what is in force, what it was started with, and the last changes
 *     PUT /settings      other values, for the revision that was read
 *     DELETE /settings   the values of the start
 *
 * A change is a log line, and ends with the process. It does not reach the other batcher of the pool: an
 * operator changes both.
 */
export function settingsResource(changes: SettingsChanges, parts: SettingsParts): OperatorsResource {
  const { state, pool, role, now, handle, log } = parts;
  const read = (): PoolSettings => ({
    batcher: state.batcher,
    pool,
    role: role(),
    revision: changes.revision,
    settings: changes.settings,
    started: changes.started,
    workers: workersInService(state, now()),
    lanes: loadedLanes(state),
    changes: changes.changes.map(({ at, ...change }) => ({ at: new Date(at).toISOString(), ...change })),
  });
  const replyTo = (result: ChangeResult): ResourceReply => {
    switch (result.kind) {
      case "changed": {
        const { by, from, to } = result.change;
        handle({ kind: "settings", settings: schedulerSettings(to) });
        log.info({ by, from, to }, "an operator has changed settings");
        return { status: 200, content: read() };
      }
      case "unchanged":
        return { status: 200, content: read() };
      case "invalid":
        return { status: 400, content: { error: result.error } };
      case "outdated":
        return { status: 409, content: { error: result.error } };
      case "impossible":
        return { status: 422, content: { error: result.error } };
    }
  };
  return {
    path: "/settings",
    read,
    change: (body, by) => replyTo(changes.change(body, { by, at: now() }, loadedMax(state))),
    reset: (by) => replyTo(changes.reset({ by, at: now() })),
  };
}

const workersInService = ({ workers }: State, now: number): number =>
  [...workers.values()].filter((worker) => isInService(worker, now)).length;

/** Returns the largest batch that a worker has loaded; undefined while none has reported. */
export function loadedMax(state: State): number | undefined {
  const sizes = loadedLanes(state).flatMap((each) => each.sizes);
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

function loadedLanes({ lanes }: State): PoolSettings["lanes"] {
  const built = [...lanes.values()].flatMap(({ id, build, estimates }) =>
    build === null ? [] : [{ lane: id, digest: build.digest, sizes: [...estimates.sizes] }],
  );
  return built.slice(0, lanesMax);
}

const lanesMax = 64;

type SettingsParts = {
  state: State;
  pool: PoolSettings["pool"];
  role(): PoolSettings["role"];
  /** Epoch ms. */
  now(): number;
  handle(event: Extract<Event, { kind: "settings" }>): void;
  log: { info(facts: object, message: string): void };
};
