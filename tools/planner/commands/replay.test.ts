import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newProfile } from "../testing/fixtures.ts";
import { replay } from "./replay.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "plan-"));
after(() => rmSync(stateFolder, { recursive: true }));
mkdirSync(join(stateFolder, "plan"));
writeFileSync(join(stateFolder, "plan", "profile.json"), JSON.stringify(newProfile()));
const keyFile = join(stateFolder, "keys");
writeFileSync(keyFile, "key-a\nkey-b\n\n");
/** What GET /settings answers; undefined: nothing listens to it, as on an ingress. */
let inForce: object | undefined;
/** What GET /metrics says of runs: each reading finds ten more. */
let runs = (): string => "";
const server = createServer((request, response) => {
  if (request.url === "/settings") {
    response.writeHead(inForce === undefined ? 404 : 200).end(JSON.stringify(inForce));
    return;
  }
  if (request.url === "/metrics") {
    response.end(`faceline_run_tasks 0\n${runs()}`);
    return;
  }
  request.resume();
  request.on("end", () => response.setHeader("server-timing", "run;dur=20, total;dur=20").end("{}"));
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.closeAllConnections());
after(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const traffic = ["--rate", "40", "--seconds", "1", "--picture-bytes", "9000", "--picture-pixels", "20000"];

test("predicted and measured values stand side by side, and all of them are in the JSON", async () => {
  const json = join(stateFolder, "replay.json");
  const { code, text } = await plan("--url", url, "--key-file", keyFile, ...traffic, "--json", json);
  assert.equal(code, 0);
  assert.match(text, /predicted +measured +error/);
  assert.match(text, /5 tenants of the trace share 2 keys: each key is one team/);
  const { predicted, measured, compared, settings } = JSON.parse(readFileSync(json, "utf8"));
  assert.deepEqual(settings, { workers: 1, batchMax: 4, utilisationTarget: 0.85 });
  // The prediction repeats the trace.
  assert.equal(measured.outcomes.answered, measured.calls);
  assert.equal(predicted.calls, 50 * measured.calls);
  assert.equal(measured.parts.run, 20);
  assert.equal(compared[0].error, predicted.p50Ms / measured.p50Ms - 1);
});

test("with the operators' ports the settings are those of the running service, and options go before", async (t) => {
  const settings = { batchMax: null, utilisationTarget: 0.7, laneWaitingMax: 100 };
  const lanes = [{ lane: "Dlib/ssd", digest: "0", sizes: [1, 2, 4, 8] }];
  const pool = { batcher: "b", pool: "default", role: "active", revision: 0, workers: 3 };
  inForce = { ...pool, settings, started: settings, lanes, changes: [] };
  t.after(() => (inForce = undefined));
  const options = ["--url", url, "--key-file", keyFile, ...traffic, "--operators", url];
  const { text } = await plan(...options);
  assert.match(text, /with 3 workers, BATCH_MAX 8 and UTILISATION_TARGET 0\.7\./);
  assert.match((await plan(...options, "--workers", "1")).text, /with 1 worker, BATCH_MAX 8 and/);
});

test("where workers count CPU time, it is predicted at the pace of the runs too", async (t) => {
  t.after(() => (runs = () => ""));
  const json = join(stateFolder, "replay.json");
  const options = ["--url", url, "--key-file", keyFile, ...traffic, "--operators", url, "--json", json];
  // A run of two takes 24 ms of CPU time by the profile, and waits for a core half of its time here.
  const runsOf = (cpuMs: number) => {
    let count = 0;
    return () => {
      count += 10;
      const labels = '{lane="Dlib/ssd",bucket="2"}';
      return (
        `faceline_run_duration_seconds_count${labels} ${count}\n` +
        `faceline_run_duration_seconds_sum${labels} ${(count * 2 * cpuMs) / 1_000}\n` +
        `faceline_run_cpu_time_seconds_total${labels} ${(count * cpuMs) / 1_000}\n`
      );
    };
  };
  runs = runsOf(36);
  const { text } = await plan(...options);
  assert.match(text, /predicted +measured +error +at its pace +error/);
  const { predicted, atPace, measured, comparedAtPace } = JSON.parse(readFileSync(json, "utf8"));
  assert.ok(Math.abs(atPace.pace - 1.5) < 0.02, `${atPace.pace}`);
  assert.ok(atPace.prediction.p50Ms > 1.2 * predicted.p50Ms);
  assert.equal(comparedAtPace[0].error, atPace.prediction.p50Ms / measured.p50Ms - 1);
  runs = runsOf(240);
  const other = await plan(...options);
  assert.match(other.text, /Runs took 1\d\.\d\d times the CPU time .* another\s+machine, engine/);
  assert.doesNotMatch(other.text, /at its pace/);
});

for (const [name, args, message] of [
  ["without an address", ["--key-file", keyFile], /replay needs --url URL/],
  ["with an empty file of keys", ["--url", url, "--key-file", "/dev/null"], /\/dev\/null is empty/],
  [
    "for a lane that was not calibrated",
    ["--url", url, "--key-file", keyFile, "--lane", "a/b"],
    /the profile lacks/,
  ],
  [
    "of pictures that are larger than those that were measured",
    ["--url", url, "--key-file", keyFile, "--picture-bytes", "9000000"],
    /pictures of up to 9000000 bytes, and the profile was measured with up to 2000000/,
  ],
  [
    "without a number of workers",
    ["--url", url, "--key-file", keyFile, "--workers", "no"],
    /--workers must be/,
  ],
] as const) {
  test(`a replay ${name} is refused before anything is sent`, async () => {
    await assert.rejects(plan(...traffic, ...args), { message });
  });
}

async function plan(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await replay(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
