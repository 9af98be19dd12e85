import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../launcher/program.ts";
import type { Steps } from "../launcher/steps.ts";

/** Installs the packages into a virtual environment, unless these very requirements are there. */
export async function setUpVenv(wanted: Venv, steps: Steps, stop: AbortSignal): Promise<void> {
  const { name, pythonMin, requirements } = wanted;
  if (findVenv(wanted) !== undefined) return steps.run(name, async (note) => note("there"));
  const { venv, python, stamp } = placesIn(wanted);
  rmSync(venv, { recursive: true, force: true });
  await steps.run("virtual environment", () =>
    capture("python3", ["-m", "venv", venv], {
      stop,
      absent: `The ${name} would need Python ${pythonMin} or newer: there is no python3 on the PATH.`,
      failed: "python3 -m venv failed (on Debian and Ubuntu it comes with the package python3-venv)",
    }),
  );
  await steps.run(name, () =>
    capture(python, ["-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-r", requirements], {
      stop,
      failed: `The packages of the ${name} could not be installed`,
    }),
  );
  // Last, because its presence says that all is there.
  writeFileSync(stamp, hashOf(requirements));
}

/** The Python that has the packages; undefined where these requirements are not installed. */
export function findVenv(wanted: Venv): Installed | undefined {
  const { python, stamp } = placesIn(wanted);
  const { requirements } = wanted;
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== hashOf(requirements)) return undefined;
  const pinned = readFileSync(requirements, "utf8").matchAll(/^([\w.-]+)==(\S+)$/gm);
  return { python, versions: Object.fromEntries([...pinned].map(([, name, version]) => [name!, version!])) };
}

const placesIn = ({ folder }: Venv) => {
  const venv = join(folder, "venv");
  return { venv, python: join(venv, "bin", "python"), stamp: join(venv, "requirements.sha256") };
};

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** `name` is what the packages are for, in a sentence. The environment lies in `folder`. */
export type Venv = { name: string; pythonMin: string; folder: string; requirements: string };

export type Installed = { python: string; versions: Record<string, string> };
