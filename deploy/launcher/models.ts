import { join } from "node:path";
import { capture } from "./capture.ts";
import { repository } from "./state-folder.ts";

/** Builds the models that are missing in the folder, and verifies the others against their SHA-256. */
export async function buildModels(folder: string, stop: AbortSignal): Promise<void> {
  const main = join(repository, "models", "src", "main.ts");
  await capture(process.execPath, [main, "build", "--to", folder], {
    stop,
    failed: "The models could not be built",
  });
}
