import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { openPrometheus, temporaryFolder } from "../testing/prometheus.ts";
import { findPromtool } from "../testing/promtool.ts";
import { expressionsOf } from "./panels/panel.ts";
import { pages } from "./panels.ts";

test("promtool accepts every expression", async (t) => {
  const promtool = await findPromtool();
  if (promtool === undefined) return t.skip("NOT CHECKED: there is no promtool, nor apt-get to fetch one");
  const panels = pages.flatMap(({ rows }) => rows.flatMap((row) => row.panels));
  const rules = panels.flatMap((panel, index) =>
    expressionsOf(panel).map((expression, query) => ({
      record: `panel:${index}:${query}`,
      expr: expression.replaceAll("$__rate_interval", "1m"),
    })),
  );
  // JSON is YAML.
  const file = join(temporaryFolder(), "panels.yml");
  writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
  const result: SpawnSyncReturns<string> = spawnSync(promtool, ["check", "rules", file], {
    encoding: "utf8",
  });
  assert.equal(result.status, 0, `${result.stdout}${result.stderr}`);
  assert.match(result.stdout, new RegExp(`SUCCESS: ${rules.length} rules found`));
});

test("Prometheus serves every console page, with what was chosen on it", async (t) => {
  const prometheus = await openPrometheus(t, { targets: {} });
  if (prometheus === undefined)
    return t.skip("NOT CHECKED: there is no Prometheus, nor apt-get to fetch one");
  for (const { name, title } of pages) {
    const reply = await fetch(`${prometheus.address}/consoles/${name}.html?lane=Dlib%2Fssd&range=1h`);
    const html = await reply.text();
    assert.equal(reply.status, 200, html);
    assert.ok(html.includes(`<h1>${title}</h1>`), name);
    assert.match(html, /lane: "Dlib\/ssd",\s+instance: "",\s+range: "1h"/);
    assert.match(html, /<option selected>1h<\/option>/);
  }
});
