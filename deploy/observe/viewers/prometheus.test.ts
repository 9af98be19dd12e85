import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { prometheusConfig, prometheusProgram } from "./prometheus.ts";

const targets = [
  { process: "ingress-1", address: "127.0.0.1:9464" },
  { process: "inference-1", address: "127.0.0.1:9484" },
  { process: "inference-2", address: "127.0.0.1:9485" },
];

test("each process is a target of its service's job, under its name", () => {
  assert.deepEqual(prometheusConfig({ targets }).scrape_configs, [
    {
      job_name: "faceline-ingress",
      static_configs: [{ targets: ["127.0.0.1:9464"], labels: { instance: "ingress-1" } }],
    },
    {
      job_name: "faceline-inference",
      static_configs: [
        { targets: ["127.0.0.1:9484"], labels: { instance: "inference-1" } },
        { targets: ["127.0.0.1:9485"], labels: { instance: "inference-2" } },
      ],
    },
  ]);
});

test("the alert rules are there, and the operators' token is named where there is one", () => {
  const config = prometheusConfig({ targets: targets.slice(0, 1), tokenFile: "/secrets/token" });
  assert.ok(existsSync(config.rule_files[0]!));
  assert.deepEqual(config.scrape_configs[0]?.authorization, { credentials_file: "/secrets/token" });
});

test("Prometheus listens on loopback, answers its own pages alone, and bounds what it keeps", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const commands = { prometheus: "p", promtool: "t", assets: "/web", source: "present" } as const;
  const { args } = prometheusProgram(commands, { folder, port: 9090, targets });
  for (const flag of [
    "--web.listen-address=127.0.0.1:9090",
    "--web.cors.origin=http://127\\.0\\.0\\.1:9090",
    "--storage.tsdb.retention.time=24h",
    "--storage.tsdb.retention.size=512MB",
    "--web.local-assets=/web",
  ]) {
    assert.ok(args.includes(flag), flag);
  }
});
