// Covers observe/prometheus.yaml.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { capture } from "../launcher/capture.ts";
import { repository } from "../launcher/state-folder.ts";
import { findPromtool } from "../testing/promtool.ts";

test("Prometheus accepts its configuration in containers, with the alert rules", async (t) => {
  const promtool = await findPromtool();
  if (promtool === undefined) return t.skip("NOT CHECKED by promtool: there is none");
  const folder = mkdtempSync(join(tmpdir(), "faceline-compose-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const token = join(folder, "token");
  writeFileSync(token, "x".repeat(32));
  const alerts = join(repository, "deploy/observe/alerts.yml");
  const mounted = readFileSync(join(import.meta.dirname, "observe/prometheus.yaml"), "utf8")
    .replaceAll("/run/secrets/operators-token", token)
    .replaceAll("/etc/prometheus/alerts.yml", alerts);
  const config = join(folder, "prometheus.yaml");
  writeFileSync(config, mounted);
  assert.match(
    await capture(promtool, ["check", "config", config]),
    /prometheus.yaml is valid[^]*\d+ rules found/,
  );

  writeFileSync(config, mounted.replace("dns_sd_configs", "dns_configs"));
  await assert.rejects(capture(promtool, ["check", "config", config]), /dns_configs not found/);
});
