// Covers ../calibration/service-samples.ts too. A real service is measured by
// tools/bench/parts/predictions.ts.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inference, stateOf } from "@faceline/runtime/live/testing/states";
import { newProfile } from "../testing/fixtures.ts";
import { readProfile } from "../profile/profile.ts";
import { calibrate } from "./calibrate.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "plan-"));
after(() => rmSync(stateFolder, { recursive: true }));
const profileFile = join(stateFolder, "plan", "profile.json");
mkdirSync(join(stateFolder, "plan"));
const keyFile = join(stateFolder, "key");
writeFileSync(keyFile, "key-a\n");

let timing = "admission;dur=1, publish;dur=2, hop;dur=10, prepare;dur=3.5, run;dur=22, total;dur=40";
let status = 200;
let countsRuns = false;
let calls = 0;
/** A service and the operators' port of its batcher and worker. */
const server = createServer((request, response) => {
  if (request.url === "/live.json") {
    const run = { lane: "Dlib/ssd", tasks: 1, bucket: 1, prepareMs: 3.5, runMs: 22 + calls / 1_000 };
    const runs = [{ ...run, predictedRunMs: 22, isAnswered: true }];
    response.end(JSON.stringify(stateOf(inference({ runs }))));
    return;
  }
  if (request.url === "/metrics") {
    const runs = `faceline_run_duration_seconds_count{lane="Dlib/ssd",bucket="1"} ${calls}`;
    response.end(["faceline_run_tasks 0", ...(countsRuns ? [runs] : [])].join("\n"));
    return;
  }
  calls++;
  request.resume();
  const answer = () => response.setHeader("server-timing", timing).writeHead(status).end("{}");
  request.on("end", () => setTimeout(answer, 40));
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const service = [
  "--url",
  url,
  "--key-file",
  keyFile,
  "--operators",
  url,
  "--seconds",
  "0.3",
  "--accept-noise",
];

test("a running service is added to the profile of the engine, and nothing else in it changes", async () => {
  const before = newProfile();
  before.service.isMeasured = false;
  writeFileSync(profileFile, JSON.stringify(before));
  const { code, text } = await run(...service);
  assert.equal(code, 0);
  const { service: measured, noise, acceptedNoise, ...others } = readProfile(profileFile);
  const { service: assumed, noise: _noise, acceptedNoise: _accepted, ...same } = before;
  assert.deepEqual([others, assumed.isMeasured, acceptedNoise], [same, false, noise > 0]);
  assert.deepEqual(readProfile(`${profileFile}.before`), before);
  assert.ok(measured.isMeasured && measured.perSecond > 0);
  assert.match(
    text,
    /On an idle service: intake 7\.5 ms, to the worker \d\.\d, reply \d+\.\d, fetching 2\.0/,
  );
  assert.match(text, /At three quarters of the most .* hops take x \d\.\d\d/);
});

test("a service that refuses calls is not measured, and the profile stays as it was", async () => {
  const before = readProfile(profileFile);
  status = 429;
  await assert.rejects(run(...service), /ended with 429/);
  status = 200;
  assert.deepEqual(readProfile(profileFile), before);
});

test("a service that refuses the load of its calibration is named as such, and that nothing was written", async () => {
  status = 503;
  await assert.rejects(
    run(...service),
    /refuses the load of its own calibration: .* 503.* Nothing was written\./,
  );
  status = 200;
});

test("runs that are far longer than those of the engine are not added to the profile", async (t) => {
  const before = readProfile(profileFile);
  const usual = timing;
  t.after(() => {
    timing = usual;
    countsRuns = false;
  });
  countsRuns = true;
  timing = "admission;dur=1, publish;dur=2, hop;dur=10, prepare;dur=3.5, run;dur=963, total;dur=980";
  const { code, text } = await run(...service);
  assert.equal(code, 3);
  assert.match(text, /took 941 ms longer than in the calibrated engine.* Nothing was written/);
  assert.deepEqual(readProfile(profileFile), before);
});

test("without a key or the operators' ports it says what is needed", async () => {
  await assert.rejects(run("--url", url), /--url URL, --key-file FILE and --operators LIST/);
});

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await calibrate(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
