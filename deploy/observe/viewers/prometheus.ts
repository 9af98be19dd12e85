import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../launcher/child.ts";
import { repository } from "../../launcher/state-folder.ts";
import type { PrometheusCommands } from "./prometheus-install.ts";
import { isHealthy } from "./zipkin.ts";

const alertsFile = join(repository, "deploy", "observe", "alerts.yml");

/** Prometheus on loopback, which asks the operators' ports of `targets` and evaluates the alert rules. */
export function prometheusProgram(commands: PrometheusCommands, options: PrometheusOptions): Program {
  const { folder, port } = options;
  const origin = prometheusOrigin(port);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = join(folder, "prometheus.json");
  writeFileSync(config, JSON.stringify(prometheusConfig(options), undefined, 2), { mode: 0o600 });
  const flags = {
    // YAML includes JSON.
    "config.file": config,
    "storage.tsdb.path": join(folder, "data"),
    // Whichever comes first. Whoever wants to look back further has a Prometheus of their own.
    "storage.tsdb.retention.time": "24h",
    "storage.tsdb.retention.size": "512MB",
    "enable-feature": "exemplar-storage",
    "web.listen-address": `127.0.0.1:${port}`,
    // By default the pages of every origin may read the metrics.
    "web.cors.origin": origin.replaceAll(".", "\\."),
    "web.page-title": "Faceline",
    "log.level": "warn",
    ...(commands.assets === undefined ? {} : { "web.local-assets": commands.assets }),
  };
  return {
    name: "prometheus",
    command: commands.prometheus,
    args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    // No credential of the services.
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    ready: () => isHealthy(`${origin}/-/ready`),
  };
}

/** Prometheus' configuration. The labels of a target are its service and the name of its process. */
export const prometheusConfig = ({ targets, tokenFile }: ConfigOptions) => ({
  global: { scrape_interval: "5s", scrape_timeout: "4s", evaluation_interval: "5s" },
  rule_files: [alertsFile],
  scrape_configs: Object.entries(Object.groupBy(targets, ({ process }) => serviceOf(process))).map(
    ([service, processes = []]) => ({
      job_name: service,
      ...(tokenFile === undefined ? {} : { authorization: { credentials_file: tokenFile } }),
      static_configs: processes.map(({ process, address }) => ({
        targets: [address],
        labels: { instance: process },
      })),
    }),
  ),
});

/** Name of a process's service, as in traces: `ingress-1` is of `faceline-ingress`. */
const serviceOf = (process: string): string => `faceline-${process.replace(/-\d+$/, "")}`;

export const prometheusOrigin = (port: number): string => `http://127.0.0.1:${port}`;

type ConfigOptions = {
  /** The operators' port of each process, `127.0.0.1:9464`. */
  targets: { process: string; address: string }[];
  /** A file with the operators' token, where they have one. */
  tokenFile?: string | undefined;
};

type PrometheusOptions = ConfigOptions & {
  folder: string;
  port: number;
};
