import { join } from "node:path";
import { readCatalogue } from "@faceline/models/catalogue";
import { isUnpulled } from "@faceline/models/source";
import { capture } from "./capture.ts";
import { repository } from "./state-folder.ts";

/** Builds the models that are missing in the folder, and verifies the others against their SHA-256. */
export async function buildModels(folder: string, stop: AbortSignal): Promise<void> {
  await capture(process.execPath, [main, "build", "--to", folder], {
    stop,
    failed: "The models could not be built",
  });
}

/** The models whose weights must be pulled, and are not in the folder. */
export async function unpulledModels(folder: string): Promise<string[]> {
  const { models } = await readCatalogue();
  return models.filter(({ source }) => isUnpulled(folder, source)).map(({ name }) => name);
}

/**
 * Pulls models for tests, within a minute, and accepts their licences for that. Returns why it failed, in
 * one line: tests that need the models skip themselves, so a machine without a registry can run the others.
 */
export async function pullForTests(
  folder: string,
  names: readonly string[],
  stop: AbortSignal,
): Promise<string | undefined> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(pullForTestsMaxMs)]);
  try {
    await capture(process.execPath, [main, "pull", ...names, "--accept-licence", "--to", folder], {
      stop: signal,
    });
    return undefined;
  } catch (error) {
    stop.throwIfAborted();
    return (error as Error).message.trim().split("\n").at(-1)!;
  }
}

const main = join(repository, "models", "src", "main.ts");
const pullForTestsMaxMs = 60_000;
