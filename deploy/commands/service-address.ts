import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { LauncherConfig } from "../launcher/settings.ts";
import { repository, serviceAddressFile } from "../launcher/state-folder.ts";

/**
 * Returns where people reach the service, for the addresses that commands print. PUBLIC_URL and PORT win.
 * Without them it is what the last `npm start` with this state folder has written, and else its default:
 * then `known` is false. `env`: the environment of the command.
 */
export function readServiceAddress(env: NodeJS.ProcessEnv): { address: string; known: boolean } {
  const publicUrl = env["PUBLIC_URL"]?.trim() ?? "";
  if (publicUrl !== "") return { address: publicUrl, known: true };
  const { PORT, REDIS_DURABLE_URL, FACELINE_STATE } = readConfig(LauncherConfig, env);
  if (env["PORT"] !== undefined) return { address: `http://127.0.0.1:${PORT}`, known: true };
  // People who are stored on another server may belong to another service than the one of this folder.
  const file = serviceAddressFile(resolve(repository, FACELINE_STATE));
  const written =
    REDIS_DURABLE_URL === undefined && existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (URL.canParse(written)) return { address: written, known: true };
  return { address: `http://127.0.0.1:${PORT}`, known: false };
}
