import { join, resolve } from "node:path";
import { freeOperatorsPorts, operatorsPorts } from "./operators-ports.ts";
import { newPassword, writePrivateFile } from "./secrets.ts";
import { reachableHost } from "./services.ts";
import type { Counts, LaunchOptions } from "./settings.ts";

/**
 * Returns the operators' ports of a launch and the file of their token. Without OPERATORS_PORT they are free
 * ports, and the token is a new one unless the environment has one.
 */
export async function launchOperators(
  launch: Counts & Pick<LaunchOptions, "OPERATORS_HOST" | "OPERATORS_PORT">,
  env: NodeJS.ProcessEnv,
  secrets: string,
): Promise<LaunchOperators> {
  const { OPERATORS_PORT: first } = launch;
  const ports = first === undefined ? await freeOperatorsPorts(launch) : operatorsPorts(first, launch);
  return {
    ports,
    addresses: Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [
        name,
        `http://${reachableHost(launch.OPERATORS_HOST)}:${port}`,
      ]),
    ),
    tokenFile: operatorsTokenFile(env, secrets, first === undefined ? newPassword() : undefined),
  };
}

/** Returns a file of the operators' token. Undefined where neither the environment nor the caller has one. */
export function operatorsTokenFile(
  env: NodeJS.ProcessEnv,
  secrets: string,
  otherwise?: string,
): string | undefined {
  if (env["OPERATORS_TOKEN_FILE"]) return resolve(env["OPERATORS_TOKEN_FILE"]);
  const token = env["OPERATORS_TOKEN"] || otherwise;
  if (token === undefined) return undefined;
  const file = join(secrets, "operators-token");
  writePrivateFile(file, token);
  return file;
}

type LaunchOperators = {
  /** By the name of the process. */
  ports: Record<string, number>;
  addresses: Record<string, string>;
  tokenFile: string | undefined;
};
