import type { LivePart, ProcessHealth } from "../../live/state.ts";
import type { Log } from "../log.ts";
import { revision, version } from "../resource.ts";
import { type OperatorsConfig, readOperatorsToken } from "./config.ts";
import type { OperatorsSources } from "./server.ts";

/**
 * Opens the operators' port of this process, if one is set: metrics, liveness, readiness and the live page
 * over HTTP. Throws a SettingsError if its settings are not safe, and one sentence if the port is taken.
 */
export async function openOperatorsPort(parts: OperatorsPortParts): Promise<AsyncDisposable> {
  const { config, id, log, page, checks, health, live, openCalls } = parts;
  const { OPERATORS_HOST: host, OPERATORS_PORT: port } = config;
  if (port === undefined) return { async [Symbol.asyncDispose]() {} };
  const token = readOperatorsToken(config);
  const { openOperatorsServer } = await import("./server.ts");
  const state = () => ({
    process: id,
    version,
    ...(revision !== undefined && { revision }),
    uptimeMs: 1_000 * process.uptime(),
    health: health(),
    ...live(),
  });
  const server = await openOperatorsServer({
    host,
    port,
    token,
    page,
    checks,
    state,
    ...(openCalls !== undefined && { openCalls }),
  });
  log.info({ reason: "OPERATORS_PORT", operators: `${host}:${port}` }, "the operators' port is open");
  return server;
}

type OperatorsPortParts = Omit<OperatorsSources, "state"> & {
  config: OperatorsConfig;
  /** Id of this process. */
  id: string;
  log: Log;
  /** Parts of the live page: that of all processes, and that of this kind of service. */
  health(): ProcessHealth;
  live(): LivePart;
};
