import { resolve } from "node:path";
import { openStateFolder, repository } from "../launcher/state-folder.ts";
import { findPrometheus } from "../observe/viewers/prometheus-install.ts";

/**
 * Returns the path of promtool: the one on PATH, else Debian's, unpacked into the state folder without root.
 * Undefined where neither can be had: the caller skips its test and says so.
 */
export async function findPromtool(): Promise<string | undefined> {
  const state = openStateFolder(resolve(repository, process.env["FACELINE_STATE"] ?? ".faceline"));
  return (await findPrometheus(state.prometheus, new AbortController().signal))?.promtool;
}
