import { join } from "node:path";
import { makeEmptyFolder } from "@faceline/models/empty-folder";
import { readConfig, SettingsError } from "@faceline/runtime/config";
import type * as z from "zod";
import { LauncherConfig } from "./settings.ts";
import { repository } from "./state-folder.ts";

/** The settings of each service. They are loaded by path, as its program is: deploy depends on no service. */
const schemas = { ingress: "IngressConfig", batcher: "BatcherConfig", inference: "InferenceConfig" };

/**
 * Throws one SettingsError with the wrong settings of the launcher and of all services, and a TMPDIR of no
 * use: before any server is started. Passwords are read only for servers that have an address.
 */
export async function checkSettings(env: NodeJS.ProcessEnv): Promise<void> {
  const passwordOf = (address: string, file: string) => ({ [file]: env[address] ? env[file] : undefined });
  const checked = {
    ...env,
    ...passwordOf("KAFKA_BROKERS", "KAFKA_SASL_PASSWORD_FILE"),
    ...passwordOf("REDIS_VOLATILE_URL", "REDIS_VOLATILE_PASSWORD_FILE"),
    ...passwordOf("REDIS_DURABLE_URL", "REDIS_DURABLE_PASSWORD_FILE"),
    MODELS_DIR: env["MODELS_DIR"] || "models",
    POOLS: env["POOLS"] || env["POOL"],
  };
  const lines = linesOf(() => makeEmptyFolder()[Symbol.dispose]());
  lines.push(...linesOf(() => readConfig(LauncherConfig, checked)));
  for (const [service, name] of Object.entries(schemas)) {
    const path = join(repository, service, "src", "config.ts");
    const { [name]: schema } = (await import(path)) as Record<string, z.ZodType>;
    lines.push(...linesOf(() => readConfig(schema!, checked)));
  }
  if (lines.length > 0) throw new SettingsError([...new Set(lines)]);
}

function linesOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return error instanceof SettingsError ? [...error.lines] : [(error as Error).message];
  }
}
