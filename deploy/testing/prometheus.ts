import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { freePorts } from "../launcher/ports.ts";
import { findInstalledPrometheus } from "./promtool.ts";
import { waitUntil } from "./wait-until.ts";

/**
 * Starts a Prometheus for one test that scrapes the targets every second. `targets`: ports on loopback, by
 * the name that is their `instance`. `collector`: the page of a Collector; with `honor_labels` a process's
 * own job and instance stay. `rules`: the text of a rule file, whose rules are evaluated every second.
 * Undefined if there is no Prometheus: the caller skips its test and says so.
 */
export async function openPrometheus(
  t: Pick<TestContext, "after">,
  { targets, collector, rules }: PrometheusOptions,
): Promise<TestPrometheus | undefined> {
  const commands = await findInstalledPrometheus();
  if (commands === undefined) return undefined;
  const folder = temporaryFolder();
  const [port = 0] = await freePorts(1);
  const configuration = {
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: rules === undefined ? [] : ["rules.yml"],
    scrape_configs: [
      {
        job_name: "faceline",
        static_configs: Object.entries(targets).map(([instance, target]) => ({
          targets: [`127.0.0.1:${target}`],
          labels: { instance },
        })),
      },
      ...(collector === undefined
        ? []
        : [
            {
              job_name: "collector",
              honor_labels: collector.honorLabels,
              static_configs: [{ targets: [new URL(collector.page).host] }],
            },
          ]),
    ],
  };
  if (rules !== undefined) writeFileSync(join(folder, "rules.yml"), rules);
  // JSON is YAML.
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(configuration));
  const child = spawn(
    commands.prometheus,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--enable-feature=exemplar-storage",
    ],
    { stdio: "ignore" },
  );
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  const address = `http://127.0.0.1:${port}`;
  await waitUntil("Prometheus is ready", async () => {
    const response = await fetch(`${address}/-/ready`).catch(() => undefined);
    return response?.status === 200;
  });
  return {
    address,
    async query(expression) {
      const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { data, error } = (await response.json()) as { data?: { result: Sample[] }; error?: string };
      if (data === undefined) throw new Error(`${error}: ${expression}`);
      return data.result;
    },
  };
}

/** A folder of the test run; the operating system's where no run is. */
export const temporaryFolder = (): string =>
  mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "prometheus-"));

type PrometheusOptions = {
  targets: Readonly<Record<string, number>>;
  collector?: { page: string; honorLabels: boolean };
  rules?: string;
};

type TestPrometheus = {
  address: string;
  /** The value of an expression now. Throws an Error with the answer of Prometheus if it has none. */
  query(expression: string): Promise<Sample[]>;
};

type Sample = { metric: Record<string, string>; value: [time: number, value: string] };
