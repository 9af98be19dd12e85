import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import type { Steps } from "@faceline/deploy/launcher/steps";

/**
 * Installs the requirements into a virtual environment, unless exactly these are installed. pip takes no file
 * without a hash in the requirements, and builds no package but those that they name `--no-binary`.
 */
export async function setUpVenv(venv: Venv, steps: Steps, stop: AbortSignal): Promise<void> {
  const { name, pythonMin, requirements } = venv;
  if (findVenv(venv) !== undefined) return steps.run(name, async (note) => note("present"));
  const { root, python, stamp } = venvPaths(venv);
  rmSync(root, { recursive: true, force: true });
  await steps.run("virtual environment", () =>
    capture("python3", ["-m", "venv", root], {
      stop,
      absent: `The ${name} needs Python ${pythonMin} or newer: there is no python3 on the PATH.`,
      failed: "python3 -m venv failed (on Debian and Ubuntu it comes with the package python3-venv)",
    }),
  );
  const pinned = ["--require-hashes", "--only-binary", ":all:", "-r", requirements];
  await steps.run(name, () =>
    capture(python, ["-m", "pip", "install", "--disable-pip-version-check", "--quiet", ...pinned], {
      stop,
      failed: `The packages of the ${name} could not be installed`,
    }),
  );
  // Written last, because its presence means that the installation is complete.
  writeFileSync(stamp, sha256Of(requirements));
}

/**
 * The Python with the packages and their versions; undefined when exactly these requirements are not
 * installed.
 */
export function findVenv(venv: Venv): Installed | undefined {
  const { python, stamp } = venvPaths(venv);
  const { requirements } = venv;
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sha256Of(requirements)) return undefined;
  const pinned = readFileSync(requirements, "utf8").matchAll(/^([\w.-]+)==(\S+)/gm);
  return { python, versions: Object.fromEntries([...pinned].map(([, name, version]) => [name!, version!])) };
}

const venvPaths = ({ folder }: Venv) => {
  const root = join(folder, "venv");
  return { root, python: join(root, "bin", "python"), stamp: join(root, "requirements.sha256") };
};

const sha256Of = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** `name`: what the packages are for, as part of a sentence. The environment is in `folder`. */
export type Venv = { name: string; pythonMin: string; folder: string; requirements: string };

export type Installed = { python: string; versions: Record<string, string> };
