import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { repository } from "../launcher/state-folder.ts";

const run = promisify(execFile);

/**
 * Returns the path of promtool: the one on PATH, else Debian's, unpacked into the state folder without root.
 * Undefined where neither can be had: the caller skips its test and says so.
 */
export async function findPromtool(): Promise<string | undefined> {
  const onPath = await run("sh", ["-c", "command -v promtool"]).catch(() => undefined);
  if (onPath !== undefined) return onPath.stdout.trim();
  const root = resolve(repository, process.env["FACELINE_STATE"] ?? ".faceline");
  const folder = join(root, "prometheus");
  const promtool = join(folder, "usr/bin/promtool");
  if (existsSync(promtool)) return promtool;
  mkdirSync(root, { recursive: true });
  const unpacked = mkdtempSync(join(root, "prometheus-"));
  try {
    await run("apt-get", ["download", "prometheus"], { cwd: unpacked, timeout: downloadMs });
    const [archive = ""] = readdirSync(unpacked);
    await run("dpkg-deb", ["-x", join(unpacked, archive), unpacked]);
    renameSync(unpacked, folder);
    return promtool;
  } catch {
    rmSync(unpacked, { recursive: true, force: true });
    return undefined;
  }
}

const downloadMs = 120_000;
