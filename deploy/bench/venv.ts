import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../src/program.ts";
import type { Steps } from "../src/steps.ts";

const requirements = join(import.meta.dirname, "peers", "requirements.txt");

/** Installs the peers into a virtual environment under `folder`, unless these very versions are there. */
export async function setUpPeers(folder: string, steps: Steps, stop: AbortSignal): Promise<void> {
  if (findPeers(folder) !== undefined) return steps.run("peers", async (note) => note("there"));
  const { venv, python, stamp } = placesIn(folder);
  rmSync(venv, { recursive: true, force: true });
  await steps.run("virtual environment", () =>
    capture("python3", ["-m", "venv", venv], {
      stop,
      absent: "The peers need Python 3.10 or newer: there is no python3 on the PATH.",
      failed: "python3 -m venv failed (on Debian and Ubuntu it comes with the package python3-venv)",
    }),
  );
  await steps.run("peers", () =>
    capture(python, ["-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-r", requirements], {
      stop,
      failed: "The peers could not be installed",
    }),
  );
  // Last, because its presence says that all is there.
  writeFileSync(stamp, hashOf(requirements));
}

/** The Python that has the peers; undefined where these versions are not installed. */
export function findPeers(folder: string): Peers | undefined {
  const { python, stamp } = placesIn(folder);
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== hashOf(requirements)) return undefined;
  const pinned = readFileSync(requirements, "utf8").matchAll(/^([\w.-]+)==(\S+)$/gm);
  return { python, versions: Object.fromEntries([...pinned].map(([, name, version]) => [name!, version!])) };
}

const placesIn = (folder: string) => {
  const venv = join(folder, "venv");
  return { venv, python: join(venv, "bin", "python"), stamp: join(venv, "requirements.sha256") };
};

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

export type Peers = { python: string; versions: Record<string, string> };
