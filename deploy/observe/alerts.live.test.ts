// Covers alerts.yml. Starts promtool alone.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test, { type TestContext } from "node:test";
import { alertCasesFile, alertNames, alertsFile, readFiringAlerts } from "../testing/observe-files.ts";
import { findPromtool } from "../testing/promtool.ts";

test("promtool finds no fault in the rules", async (t) => {
  await promtool(t, ["check", "rules", "--lint=all", "--lint-fatal", alertsFile]);
});

test("each alert fires on its fault, and none while the service is well and busy", async (t) => {
  const firing = new Set(readFiringAlerts().map((each) => each.alertname));
  assert.deepEqual([...firing].toSorted(), alertNames().toSorted());
  await promtool(t, ["test", "rules", alertCasesFile]);
});

async function promtool(t: TestContext, args: string[]): Promise<void> {
  const program = await findPromtool();
  if (program === undefined) return t.skip("NOT CHECKED: there is no promtool, nor apt-get to fetch one");
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
}
