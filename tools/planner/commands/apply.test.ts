// Covers undo.ts and the folder apply too, over real operators' ports with the real scheduler behind them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, type TestContext } from "node:test";
import { decide } from "@faceline/batcher/scheduling/decide";
import { newState } from "@faceline/batcher/scheduling/state/state";
import { SettingsChanges, schedulerSettings } from "@faceline/batcher/settings/settings-changes";
import { settingsResource } from "@faceline/batcher/settings/settings-resource";
import { openLog } from "@faceline/runtime/log";
import { openOperatorsServer } from "@faceline/runtime/operators/server";
import { newPlan, newReport, newTried } from "../testing/fixtures.ts";
import { apply } from "./apply.ts";
import { undo } from "./undo.ts";

const folder = mkdtempSync(join(tmpdir(), "apply-"));
after(() => rmSync(folder, { recursive: true }));
const token = "0123456789abcdef";
writeFileSync(join(folder, "token"), `${token}\n`);
writeFileSync(join(folder, "wrong-token"), "fedcba9876543210");
const planFile = (name: string, plan: object) => {
  writeFileSync(join(folder, name), JSON.stringify(plan));
  return join(folder, name);
};
const plan = planFile("plan.json", newPlan());

test("a plan changes both batchers of a pool, names who did it, and prints what makes it last", async (t) => {
  const pool = await openPool(t);
  const { code, text } = await run(apply, plan, ...pool.options, "--by", "ada");
  assert.equal(code, 0, text);
  for (const { state, changes } of pool.batchers) {
    assert.deepEqual([state.settings.batchMax, state.settings.utilisationTarget], [8, 0.85]);
    assert.equal(changes.changes[0]!.by, "ada");
  }
  assert.match(
    text,
    /batcher-1 \(active\): batch max as loaded \(8\) → 8, UTILISATION_TARGET 0\.9 → 0\.85\n/,
  );
  assert.match(text, /BATCH_MAX=8 {2}# inference/);
  assert.match(text, /replicas: 3/);
  assert.doesNotMatch(text, /No standby/);
});

test("undo puts back the start of every batcher, whatever was changed last, and a second one nothing", async (t) => {
  const pool = await openPool(t);
  const [active, standby] = pool.batchers as [Batcher, Batcher];
  await run(apply, plan, ...pool.options);
  const smaller = newTried({ batchMax: 4, utilisationTarget: 0.5 });
  // To the active one alone, so that the last changes of the two differ.
  const activeOnly = [...pool.options.slice(0, 2), ...pool.options.slice(4)];
  await run(apply, planFile("smaller.json", newPlan({ winner: smaller })), ...activeOnly);
  const { code, text } = await run(undo, ...pool.options);
  assert.equal(code, 0);
  assert.match(text, /batcher-1 \(active\): batch max 4 → as loaded \(8\), UTILISATION_TARGET 0\.5 → 0\.9\n/);
  assert.match(
    text,
    /batcher-2 \(standby\): batch max 8 → as loaded \(8\), UTILISATION_TARGET 0\.85 → 0\.9\n/,
  );
  const again = await run(undo, ...pool.options, "--all");
  assert.equal(again.code, 0);
  assert.match(again.text, /nothing changes\n.*nothing changes\nThese batchers have their settings from/);
  for (const { changes } of [active, standby]) assert.deepEqual(changes.settings, started);
});

test("a plan for the standby alone is refused: no call would be served by it", async (t) => {
  const pool = await openPool(t);
  const standbyOnly = pool.options.slice(2);
  const { code, text } = await run(apply, plan, ...standbyOnly);
  assert.equal(code, 2);
  assert.match(
    text,
    /The active batcher is not among them: batcher-2 \(standby\)\..*\nNothing was changed\.\n$/,
  );
  assert.deepEqual(pool.batchers[1]!.changes.settings, started);
  assert.match((await run(undo, ...standbyOnly)).text, /The active batcher is not among them/);
});

test("where one batcher refuses, the others get back what they had", async (t) => {
  const pool = await openPool(t);
  // Between reading and changing, another operator changes the second one.
  const { change } = pool.batchers[0]!.resource;
  pool.batchers[0]!.resource.change = (body, by) => {
    const others = { revision: 0, settings: { ...started, laneWaitingMax: 5 } };
    pool.batchers[1]!.changes.change(others, { by: "bob", at: 0 }, 8);
    return change(body, by);
  };
  await assert.rejects(
    run(apply, plan, ...pool.options),
    /has refused: .*read them again\nNothing was changed/,
  );
  assert.deepEqual(pool.batchers[0]!.changes.settings, started);
});

test("a plan for larger batches than workers have loaded changes nothing, and says what to start", async (t) => {
  const pool = await openPool(t, { sizes: [1, 2, 4] });
  const { code, text } = await run(apply, plan, ...pool.options);
  assert.equal(code, 2);
  assert.match(text, /at most 4: start them with BATCH_MAX=8 first\.\nNothing was changed\.\n$/);
  assert.deepEqual(pool.batchers[0]!.changes.settings, started);
});

test("a plan of another build than the workers run needs to be accepted", async (t) => {
  const pool = await openPool(t, { digest: "f".repeat(16) });
  const { code, text } = await run(apply, plan, ...pool.options);
  assert.equal(code, 2);
  assert.match(text, /another build of Dlib\/ssd \(f{16}\) than the profile \(0{16}\)/);
  assert.equal((await run(apply, plan, ...pool.options, "--accept-other-build")).code, 0);
});

test("a plan for more workers than the pool has needs to be accepted, and says so at its end", async (t) => {
  const pool = await openPool(t);
  const more = planFile("more.json", newPlan({ winner: newTried({ workers: 9 }) }));
  const { code, text } = await run(apply, more, ...pool.options);
  assert.equal(code, 2);
  assert.match(text, /has 3 workers, the plan needs 9: its target will not be met\. .* --fewer-workers\.\n/);
  assert.deepEqual(pool.batchers[0]!.changes.settings, started);
  const accepted = await run(apply, more, ...pool.options, "--fewer-workers");
  assert.equal(accepted.code, 0);
  assert.match(accepted.text, /the plan needs 9: its target will not be met\.\n/);
});

test("a batch size that was not calibrated is not applied", async (t) => {
  const pool = await openPool(t);
  const file = planFile("uncalibrated.json", newPlan({ winner: newTried({ batchMax: 3 }) }));
  const { text } = await run(apply, file, ...pool.options);
  assert.match(text, /Batches of 3 were not calibrated for Dlib\/ssd/);
});

test("without the standby it says what a takeover would do", async (t) => {
  const pool = await openPool(t);
  const { text } = await run(apply, plan, ...pool.options.slice(0, 2), ...pool.options.slice(4));
  assert.match(text, /No standby is among them/);
});

test("a wrong address, token or file is one sentence", async (t) => {
  const pool = await openPool(t);
  const tokenFile = ["--token-file", join(folder, "token")];
  const wrongToken = ["--token-file", join(folder, "wrong-token")];
  const [, url] = pool.options as [string, string];
  const notFound = planFile("unmet.json", newPlan({ winner: undefined }));
  for (const [args, message] of [
    [[plan, ...tokenFile], /No Faceline was started from .* npm start/],
    [[plan, "--url", url], /--token-file is missing/],
    [[plan, "--url", url, "--token-file", join(folder, "no-token")], /no-token does not exist\./],
    [[plan, "--url", "nonsense", ...tokenFile], /--url nonsense is no address/],
    [[plan, "--url", url, ...wrongToken], /refuses this token/],
    [[plan, "--url", url, "--url", url, ...tokenFile], /lead to the same batcher/],
    [
      [plan, "--url", `http://127.0.0.1:${await freePort()}`, ...tokenFile],
      /cannot be reached \(ECONNREFUSED\)/,
    ],
    [[notFound, ...pool.options], /no settings that meet its target/],
    [[join(folder, "token"), ...pool.options], /cannot be read/],
    [
      [join(folder, "absent.json"), ...pool.options],
      /There is no plan .*absent\.json\. npm run plan writes one/,
    ],
    [[plan, plan, ...pool.options], /Name one plan/],
  ] as const) {
    await assert.rejects(run(apply, ...args), message);
  }
});

const started = { batchMax: null, utilisationTarget: 0.9, laneWaitingMax: 2_048 };

async function openPool(t: TestContext, { sizes = [1, 2, 4, 8], digest = "0".repeat(16) } = {}) {
  const batchers = await Promise.all(
    (["active", "standby"] as const).map(async (role, index) => {
      const settings = { ...schedulerSettings(started), hopMs: 3, replyMs: 3 };
      const state = newState(`batcher-${index + 1}`, settings);
      for (let worker = 1; worker <= 3; worker++) {
        decide(state, { kind: "report", report: newReport({ worker, sizes, digest }) }, 0);
      }
      const changes = new SettingsChanges(started);
      const resource = settingsResource(changes, {
        state,
        pool: "default",
        role: () => role,
        now: () => 0,
        handle: (event) => void decide(state, event, 0),
        log: openLog("test", "silent"),
      });
      const port = await freePort();
      const server = await openOperatorsServer({
        host: "127.0.0.1",
        port,
        token,
        resource,
        page: async () => "",
        checks: () => ({}),
        state: () => ({}) as never,
      });
      t.after(() => server[Symbol.asyncDispose]());
      return { state, changes, resource, url: `http://127.0.0.1:${port}` };
    }),
  );
  const urls = batchers.flatMap(({ url }) => ["--url", url]);
  return { batchers, options: [...urls, "--token-file", join(folder, "token")] };
}

type Batcher = Awaited<ReturnType<typeof openPool>>["batchers"][number];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

async function run(verb: typeof apply, ...args: readonly string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await verb([...args], { stateFolder: folder, print: (line) => lines.push(line) });
  return { code, text: `${lines.join("\n")}\n` };
}
