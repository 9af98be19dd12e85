import type { Log } from "../log.ts";
import { type OperatorsConfig, readOperatorsToken } from "./config.ts";
import type { OperatorsSources } from "./server.ts";

/**
 * Opens the operators' port of this process, if one is set: metrics, liveness and readiness over HTTP. Throws
 * a SettingsError if its settings are not safe, and one sentence if the port is taken.
 */
export async function openOperatorsPort(parts: OperatorsPortParts): Promise<AsyncDisposable> {
  const { config, log, ...sources } = parts;
  const { OPERATORS_HOST: host, OPERATORS_PORT: port } = config;
  if (port === undefined) return { async [Symbol.asyncDispose]() {} };
  const token = readOperatorsToken(config);
  const { openOperatorsServer } = await import("./server.ts");
  const server = await openOperatorsServer({ host, port, token, ...sources });
  log.info({ operators: `${host}:${port}` }, "the operators' port is open");
  return server;
}

type OperatorsPortParts = OperatorsSources & { config: OperatorsConfig; log: Log };
