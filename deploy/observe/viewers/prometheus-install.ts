import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { capture } from "../../launcher/capture.ts";

/**
 * Returns the Prometheus on PATH, else Debian's packages, unpacked into `folder` without root: apt has
 * checked their hashes against the signed lists of the distribution. Undefined where neither can be had.
 */
export async function findPrometheus(
  folder: string,
  stop: AbortSignal,
): Promise<PrometheusCommands | undefined> {
  if (await runs("prometheus", stop)) {
    return { prometheus: "prometheus", promtool: "promtool", assets: undefined, source: "from PATH" };
  }
  const unpacked = {
    prometheus: join(folder, "usr/bin/prometheus"),
    promtool: join(folder, "usr/bin/promtool"),
    assets: join(folder, "usr/share/prometheus/web"),
  };
  if (await runs(unpacked.prometheus, stop)) return { ...unpacked, source: "present" };
  const isThere = await unpackDebian(packages, folder, stop);
  if (!isThere || !(await runs(unpacked.prometheus, stop))) return undefined;
  return { ...unpacked, source: "fetched by apt-get" };
}

/** Returns the path below which a Prometheus has its pages: Debian's has the old ones alone. */
export const pagesPath = ({ assets }: PrometheusCommands): string =>
  existsSync(assets ?? "/usr/share/prometheus/web") ? "/classic" : "";

/** Unpacks packages into a folder. Whether all went well; leaves nothing behind where it did not. */
export async function unpackDebian(packages: string[], folder: string, stop: AbortSignal): Promise<boolean> {
  const partial = `${folder}.${process.pid}`;
  const archives = join(partial, "archives");
  try {
    await mkdir(archives, { recursive: true });
    await capture("apt-get", ["-q", "download", ...packages], { cwd: archives, stop });
    for (const name of await readdir(archives)) {
      await capture("dpkg-deb", ["-x", join(archives, name), partial], { stop });
    }
    await rm(archives, { recursive: true });
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
    return existsSync(folder);
  } catch {
    stop.throwIfAborted();
    return false;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Prometheus, and the libraries that its pages load. */
const packages = [
  "prometheus",
  "libjs-bootstrap",
  "libjs-bootstrap4",
  "libjs-eonasdan-bootstrap-datetimepicker",
  "libjs-jquery",
  "libjs-jquery-hotkeys",
  "libjs-moment",
  "libjs-moment-timezone",
  "libjs-mustache",
  "libjs-popper.js",
  "libjs-rickshaw",
  "libjs-d3",
  "fonts-glyphicons-halflings",
];

/** Whether the command is there and runs. */
async function runs(command: string, stop: AbortSignal): Promise<boolean> {
  const printed = await capture(command, ["--version"], { stop }).catch(() => "");
  stop.throwIfAborted();
  return printed.startsWith("prometheus, version ");
}

export type PrometheusCommands = {
  prometheus: string;
  promtool: string;
  /** The folder that its pages load; undefined if the program finds it itself. */
  assets: string | undefined;
  source: "from PATH" | "present" | "fetched by apt-get";
};
