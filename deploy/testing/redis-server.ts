import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { Child, type Program } from "../launcher/child.ts";
import { freePorts } from "../launcher/ports.ts";
import { findRedis } from "../launcher/redis-install.ts";
import { LauncherConfig } from "../launcher/settings.ts";
import { openStateFolder, repository } from "../launcher/state-folder.ts";

/**
 * Starts a Redis server for one test, with a port and a folder of its own. It is killed after the test, and
 * its folder removed.
 */
export async function startRedis(
  t: Pick<TestContext, "after">,
  programOf: (command: string, folder: string, port: number) => Program,
  onLine: (line: string) => void = () => {},
): Promise<{ url: string; port: number; folder: string; child: Child }> {
  const never = new AbortController().signal;
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const { redis } = openStateFolder(resolve(repository, FACELINE_STATE));
  const { command } = await findRedis(redis, never);
  const folder = mkdtempSync(join(tmpdir(), "faceline-redis-"));
  const [port = 0] = await freePorts(1);
  const child = new Child(programOf(command, folder, port), onLine);
  t.after(async () => {
    child.kill("SIGKILL");
    await child.ended;
    rmSync(folder, { recursive: true });
  });
  await child.ready(600_000, never);
  return { url: `redis://127.0.0.1:${port}`, port, folder, child };
}
