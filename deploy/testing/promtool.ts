import { resolve } from "node:path";
import { openStateFolder, repository } from "../launcher/state-folder.ts";
import { findPrometheus, type PrometheusCommands } from "../observe/viewers/prometheus-install.ts";

/**
 * Returns the command of promtool: the one on PATH, else Debian's, unpacked into the state folder without
 * root. Undefined where neither can be had: the caller skips its test and says so.
 */
export const findPromtool = async (): Promise<string | undefined> =>
  (await findInstalledPrometheus())?.promtool;

/** Returns the commands of Prometheus and promtool in the same way. */
export async function findInstalledPrometheus(): Promise<PrometheusCommands | undefined> {
  const state = openStateFolder(resolve(repository, process.env["FACELINE_STATE"] ?? ".faceline"));
  return findPrometheus(state.prometheus, new AbortController().signal);
}
