// Covers PROFILE_FILE, from `npm run plan -- calibrate` to what workers report.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import type { LiveRow, LiveState } from "@faceline/runtime/live/state";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { Profile } from "@faceline/contracts/stored/profile";
import { modelsFolder } from "@faceline/models/model-file";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { startStack } from "./stack/stack.ts";

const token = "a-token-of-operators";

test("a worker starts with the run times of its profile; one with other threads measures them, in the same build", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-profile-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "profile.json");
  const models = ["--models-dir", process.env["MODELS_DIR"] ?? modelsFolder, "--lanes", "SFace/auto"];
  const brief = ["--rounds", "2", "--workers", "1", "--batch-max", "4"];
  const command = [join(repository, "tools/planner/main.ts"), "calibrate", "--out", file];
  await promisify(execFile)(process.execPath, [...command, ...models, ...brief]);
  const profile = Profile.parse(JSON.parse(readFileSync(file, "utf8")));
  const median = ({ runs }: Profile["lanes"][number]) => ({
    sizes: runs.map(({ size }) => size),
    warmMs: runs.map(({ ms }) => ms[ms.length >> 1]!),
  });
  const timesIn = ({ sizes, warmMs }: LiveRow) => ({ sizes, warmMs });

  const stack = await startStack(t, {
    workers: 2,
    operators: true,
    settings: { PROFILE_FILE: file, INTRA_OP_THREADS: "1", BATCH_MAX: "4" },
    ownSettings: { inference: { OPERATORS_TOKEN: token } },
    workerSettings: [{}, { INTRA_OP_THREADS: "2" }],
  });
  const reported = async (worker: string) => {
    const response = await fetch(`http://127.0.0.1:${stack.operatorsPorts[worker]}/live.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { tables } = (await response.json()) as LiveState;
    return new Map(tables["lanes"]!.map((each) => [each["lane"], each]));
  };
  const [known, measured] = [await reported("inference-1"), await reported("inference-2")];
  for (const lane of profile.lanes) {
    assert.deepEqual(timesIn(known.get(lane.lane)!), median(lane));
    assert.notDeepEqual(timesIn(measured.get(lane.lane)!), median(lane));
    const { build, networks } = measured.get(lane.lane)!;
    const { build: knownBuild, networks: knownNetworks } = known.get(lane.lane)!;
    assert.deepEqual([knownBuild, knownNetworks], [build, networks]);
    assert.equal(build, lane.digest);
  }
  const shown = CapabilitiesResponse.parse(await (await fetch(`${stack.address}/capabilities`)).json());
  const builds = [shown.detector_details["auto"]!, shown.model_details["SFace"]!].flatMap(
    (each) => each.builds,
  );
  assert.deepEqual(
    builds.map(({ name, precision }) => [name, precision]),
    ["ssd", "blazeface", "SFace", "landmarks-68"].map((name) => {
      const networks = known.get("SFace/auto")!["networks"] as string[];
      // "ssd int8", or with the reason of a fallback behind it.
      return networks
        .find((each) => each.startsWith(`${name} `))!
        .split(" ")
        .slice(0, 2);
    }),
  );
  const log = readFileSync(join(stack.logs, "inference-2.log"), "utf8");
  assert.match(log, /INTRA_OP_THREADS is 2, and 1 in it/);
  assert.match(
    log,
    /"networks":\{"ssd":"\w+[^}]*"blazeface":"float32","landmarks-68":"float32","SFace":"\w+[^}]*\},"msg":"ready"/,
  );
});
