// Covers settings-resource.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { PoolSettings } from "@faceline/runtime/operators/pool-settings";
import { newPool, report } from "../../testing/fixtures.ts";
import { decide } from "../scheduling/decide.ts";
import { SettingsChanges } from "./settings-changes.ts";
import { settingsResource } from "./settings-resource.ts";

const started = { batchMax: null, utilisationTarget: 0.85, laneWaitingMax: 2_048 };

test("a change is in force in the scheduler at once, and is logged and listed with who made it", () => {
  const { resource, state, lines } = openResource();
  const to = { batchMax: 4, utilisationTarget: 0.7, laneWaitingMax: 100 };
  const { status, content } = resource.change({ revision: 0, settings: to }, "ada");
  assert.equal(status, 200);
  const { settings, revision, changes } = PoolSettings.parse(content);
  assert.deepEqual([settings, revision], [to, 1]);
  assert.deepEqual(changes, [{ at: "1970-01-01T00:00:01.000Z", by: "ada", from: started, to }]);
  const { batchMax, utilisationTarget, laneWaitingMax } = state.settings;
  assert.deepEqual({ batchMax, utilisationTarget, laneWaitingMax }, to);
  assert.deepEqual(lines, [{ by: "ada", from: started, to }]);
});

test("a reset puts back what the batcher was started with, and is a change as well", () => {
  const { resource, state } = openResource();
  resource.change({ revision: 0, settings: { ...started, batchMax: 2 } }, "ada");
  const { revision, settings, changes } = PoolSettings.parse(resource.reset("bob").content);
  assert.deepEqual([revision, settings], [2, started]);
  assert.deepEqual(
    changes.map(({ by }) => by),
    ["bob", "ada"],
  );
  assert.equal(state.settings.batchMax, Number.POSITIVE_INFINITY);
});

test("a larger batch than workers have loaded is refused with what to do, and so is one before any report", () => {
  const { resource, state } = openResource();
  const tooLarge = resource.change({ revision: 0, settings: { ...started, batchMax: 16 } }, "ada");
  assert.equal(tooLarge.status, 422);
  assert.match(JSON.stringify(tooLarge.content), /at most 8; for 16 start them with BATCH_MAX=16/);
  const unreported = openResource({ isReported: false }).resource;
  const early = unreported.change({ revision: 0, settings: { ...started, batchMax: 1 } }, "ada");
  assert.match(JSON.stringify(early.content), /no worker has reported its batch sizes yet/);
  assert.equal(state.settings.batchMax, Number.POSITIVE_INFINITY);
});

test("settings that somebody else has changed since are not overwritten", () => {
  const { resource } = openResource();
  resource.change({ revision: 0, settings: { ...started, batchMax: 2 } }, "ada");
  const { status, content } = resource.change({ revision: 0, settings: started }, "bob");
  assert.equal(status, 409);
  assert.match(JSON.stringify(content), /revision 1, not 0; read them again/);
});

for (const [name, body] of [
  ["nothing", undefined],
  ["a value out of bounds", { revision: 0, settings: { ...started, utilisationTarget: 1.5 } }],
  ["a part of the settings", { revision: 0, settings: { batchMax: 4 } }],
  ["another setting", { revision: 0, settings: { ...started, hopMs: 1 } }],
] as const) {
  test(`${name} is refused with the place of the fault`, () => {
    const { status, content } = openResource().resource.change(body, "ada");
    assert.equal(status, 400);
    assert.match(JSON.stringify(content), /the body: |settings/);
  });
}

test("the same settings again are no change, and only the last changes are kept", () => {
  const changes = new SettingsChanges(started);
  const change = (utilisationTarget: number, revision: number) =>
    changes.change({ revision, settings: { ...started, utilisationTarget } }, { by: "ada", at: 0 }, 8);
  assert.deepEqual(change(0.85, 0), { kind: "unchanged" });
  for (let revision = 0; revision < 50; revision++) change(revision % 2 === 0 ? 0.5 : 0.6, revision);
  assert.deepEqual([changes.revision, changes.changes.length], [50, 20]);
});

function openResource({ isReported = true } = {}) {
  const state = newPool();
  if (isReported) decide(state, report("w1"), 0);
  const lines: object[] = [];
  const resource = settingsResource(new SettingsChanges(started), {
    state,
    pool: "default",
    role: () => "active",
    now: () => 1_000,
    handle: (event) => void decide(state, event, 1_000),
    log: { info: (facts) => void lines.push(facts) },
  });
  return { resource, state, lines };
}
