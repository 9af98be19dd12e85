// Covers `npm run plan` as a process, with a running service, and the page of a plan in a browser.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findChromium, openChromium, openPage, withoutChromium } from "@faceline/testing/browser";
import { assertSoundInAllLooks } from "@faceline/testing/page-checks";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

const token = "a-token-of-operators";

test("traffic that is recorded while it is replayed is the same trace, and its predictions are beside it", async (t) => {
  const stack = await startStack(t, {
    operators: true,
    settings: {
      ENGINE: "model:20+5b",
      BATCH_MAX: "4",
      OPERATORS_TOKEN: token,
      TEAM_REQUESTS_PER_SECOND: "0",
      TEAM_REQUESTS_BURST: "0",
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "faceline-plan-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  writeFileSync(file("keys"), `${stack.key}\n`, { mode: 0o600 });
  writeFileSync(file("token"), token, { mode: 0o600 });
  const plan = async (...args: string[]) => {
    const command = [join(repository, "tools/planner/main.ts"), ...args];
    const env = { ...process.env, FACELINE_STATE: folder };
    return (await promisify(execFile)(process.execPath, command, { env })).stdout;
  };
  const port = (name: string) => `http://127.0.0.1:${stack.operatorsPorts[name]}`;
  const service = [
    "--url",
    stack.address,
    "--key-file",
    file("keys"),
    "--operators",
    [port("batcher-1"), port("inference-1")].join(","),
    "--token-file",
    file("token"),
  ];
  const engine = ["--engine", "model:20+5b", "--workers", "1", "--batch-max", "4", "--rounds", "3"];
  await plan("calibrate", "--accept-noise", ...engine);
  await plan("calibrate", "--accept-noise", "--seconds", "2", ...service);

  const ofIngress = ["--operators", port("ingress-1"), "--token-file", file("token"), "--seconds", "12"];
  const recording = plan("record", ...ofIngress, "--out", file("trace"));
  await waitUntil("the recording has begun", () => existsSync(file("trace")));
  const traffic = ["--rate", "8", "--seconds", "5", "--tenants", "3", "--deadline", "5000"];
  const replayed = await plan("replay", ...service, ...traffic, "--json", file("replay.json"));
  assert.match(replayed, /predicted +measured +error/);
  assert.match(await recording, /\d+ calls were written/);

  const { measured } = JSON.parse(readFileSync(file("replay.json"), "utf8"));
  assert.equal(measured.outcomes.answered, measured.calls);
  assert.ok(measured.meanBatch >= 1 && measured.utilisation > 0);
  const [header, ...calls] = readFileSync(file("trace"), "utf8").trim().split("\n");
  assert.deepEqual(JSON.parse(header!).lanes, ["Dlib/ssd"]);
  assert.equal(calls.length, measured.calls);
  for (const call of calls) {
    const [, , lane, deadlineMs, pictures, outcome] = JSON.parse(call);
    assert.deepEqual([lane, deadlineMs, outcome], [0, 5_000, "answered"]);
    for (const [bytes, pixels] of pictures) {
      assert.equal(bytes, 40_000);
      assert.ok(Math.abs(pixels / 327_680 - 1) < 0.02, `${pixels}`);
    }
  }
  // What was recorded can be replayed.
  assert.match(await plan("replay", "--trace", file("trace"), ...service), /Calls: \d+ answered/);

  const chromium = await findChromium();
  if (chromium === undefined) return t.diagnostic(withoutChromium);
  const browser = await openChromium(chromium);
  t.after(() => browser.close());
  for (const [name, target, expectedCode, words] of plans) {
    const html = file(`${name}.html`);
    const args = ["--trace", file("trace"), "--target", target, "--workers-max", "3", "--html", html];
    const code = await plan("run", ...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    assert.equal(code, expectedCode, name);
    const { page, faults } = await openPage(browser);
    await page.goto(pathToFileURL(html).href);
    await page.getByText(words).first().waitFor();
    await assertSoundInAllLooks(page, name);
    assert.deepEqual(faults, []);
  }
});

/** Names, targets, exit codes and words of plans, one that meets its target and one that cannot. */
const plans: [name: string, target: string, code: number, words: string][] = [
  ["plan-met", "p99<4000ms,shed<5%", 0, "are the cheapest settings"],
  ["plan-unmet", "p99<10ms,shed<0.5%", 2, "What can be had"],
];
