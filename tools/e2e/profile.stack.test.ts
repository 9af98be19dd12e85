// Covers PROFILE_FILE, from `npm run plan -- calibrate` to what workers report.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import type { LiveInference, LiveState } from "@faceline/runtime/live/state";
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
  const models = ["--models-dir", process.env["MODELS_DIR"] ?? modelsFolder, "--lanes", "Dlib/ssd,Dlib/tiny"];
  const brief = ["--rounds", "2", "--workers", "1", "--batch-max", "4"];
  const command = [join(repository, "tools/planner/main.ts"), "calibrate", "--out", file];
  await promisify(execFile)(process.execPath, [...command, ...models, ...brief]);
  const profile = Profile.parse(JSON.parse(readFileSync(file, "utf8")));
  const median = ({ runs }: Profile["lanes"][number]) =>
    runs.map(({ size, ms }) => ({ size, warmMs: ms[ms.length >> 1]! }));

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
    const { lanes } = ((await response.json()) as LiveState).part as LiveInference;
    return new Map(lanes.map((each) => [each.lane, each]));
  };
  const [known, measured] = [await reported("inference-1"), await reported("inference-2")];
  for (const lane of profile.lanes) {
    assert.deepEqual(known.get(lane.lane)!.sizes, median(lane));
    assert.notDeepEqual(measured.get(lane.lane)!.sizes, median(lane));
    const { build, networks } = measured.get(lane.lane)!;
    assert.deepEqual([known.get(lane.lane)!.build, known.get(lane.lane)!.networks], [build, networks]);
    assert.equal(build.digest, lane.digest);
  }
  const shown = CapabilitiesResponse.parse(await (await fetch(`${stack.address}/capabilities`)).json());
  const builds = [shown.detector_details["ssd"]!, shown.model_details["Dlib"]!].flatMap(
    (each) => each.builds,
  );
  assert.deepEqual(
    builds.map(({ name, precision }) => [name, precision]),
    ["ssd", "Dlib", "landmarks-68"].map((name) => {
      const { model, precision } = known.get("Dlib/ssd")!.networks.find((each) => each.model === name)!;
      return [model, precision];
    }),
  );
  const log = readFileSync(join(stack.logs, "inference-2.log"), "utf8");
  assert.match(log, /INTRA_OP_THREADS is 2, and 1 in it/);
  assert.match(log, /"networks":\{"ssd":"\w+[^}]*"landmarks-68":"float32","Dlib":"\w+[^}]*\},"msg":"ready"/);
});
