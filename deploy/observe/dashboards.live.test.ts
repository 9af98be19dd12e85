// Covers the expressions of grafana/*.json. Starts promtool alone.
import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { expressionsOf, panelsOf, readDashboards } from "../testing/observe-files.ts";
import { temporaryFolder } from "../testing/prometheus.ts";
import { findPromtool } from "../testing/promtool.ts";

test("promtool accepts every expression", async (t) => {
  const promtool = await findPromtool();
  if (promtool === undefined) return t.skip("NOT CHECKED: there is no promtool, nor apt-get to fetch one");
  const dashboards = readDashboards();
  const expressions = [
    ...dashboards.flatMap(panelsOf).flatMap(expressionsOf),
    ...dashboards.flatMap(({ annotations }) => annotations.list.map(({ target }) => target.expr)),
  ];
  const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }));
  // JSON is YAML.
  const file = join(temporaryFolder(), "panels.yml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
  const result: SpawnSyncReturns<string> = spawnSync(promtool, ["check", "rules", file], {
    encoding: "utf8",
  });
  assert.equal(result.status, 0, `${result.stdout}${result.stderr}`);
  assert.match(result.stdout, new RegExp(`SUCCESS: ${rules.length} rules found`));
});
