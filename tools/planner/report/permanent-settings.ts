import type { PoolSettings } from "../prediction/predict.ts";
import { workersText } from "./words.ts";

/**
 * Returns settings of a pool in the forms that outlast a restart: environment variables, a part of a compose
 * file, and values for a Helm chart that passes `env` to its containers. Each names the service that reads
 * the variable, because they are three processes.
 */
export function permanentSettings(settings: PoolSettings): PermanentSettings {
  const services = servicesOf(settings);
  const environment = services.flatMap(({ service, env }) =>
    Object.entries(env).map(([name, value]) => `${name}=${value}  # ${service}`),
  );
  const yaml = (indent: string, key: string) =>
    services.flatMap(({ service, env, copies }) => [
      `${indent}${service}:`,
      ...(copies === undefined ? [] : copiesLines[key]!(copies).map((line) => `${indent}  ${line}`)),
      ...(Object.keys(env).length === 0 ? [] : [`${indent}  ${key}:`]),
      ...Object.entries(env).map(([name, value]) => `${indent}    ${name}: "${value}"`),
    ]);
  const start = services.flatMap(({ env }) => Object.entries(env).map(([name, value]) => `${name}=${value}`));
  return {
    npmStart: `${start.join(" ")} npm start -- --workers ${settings.workers}`,
    environment: [`# ${workersText(settings.workers)}`, ...environment].join("\n"),
    compose: ["services:", ...yaml("  ", "environment")].join("\n"),
    helm: yaml("", "env").join("\n"),
  };
}

function servicesOf({ workers, batchMax, utilisationTarget }: PoolSettings): ServiceSettings[] {
  return [
    { service: "inference", env: { BATCH_MAX: `${batchMax}` }, copies: workers },
    { service: "batcher", env: { UTILISATION_TARGET: `${utilisationTarget}` } },
  ];
}

const copiesLines: Record<string, (copies: number) => string[]> = {
  environment: (copies) => ["deploy:", `  replicas: ${copies}`],
  env: (copies) => [`replicas: ${copies}`],
};

type ServiceSettings = {
  service: "inference" | "batcher";
  env: Record<string, string>;
  /** Processes; undefined: as many as before. */
  copies?: number;
};

type PermanentSettings = { npmStart: string; environment: string; compose: string; helm: string };
