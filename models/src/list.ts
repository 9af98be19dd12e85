import { existsSync } from "node:fs";
import { licenseOf } from "./catalogue.ts";
import type { Build, Model } from "./catalogue-entry.ts";
import { readAcceptance } from "./licence/acceptance.ts";
import { megabytes } from "./megabytes.ts";
import { modelFile } from "./model-file.ts";
import { isUnpulled } from "./source.ts";

/**
 * A table, one line a build: what it is, whether it is in the folder, and when its licences were accepted.
 */
export async function listLines(models: readonly Model[], folder: string): Promise<string[]> {
  const acceptances = await Promise.all(models.map((model) => readAcceptance(folder, model)));
  const rows = models.flatMap((model, i) =>
    model.builds.map((build) => [
      model.name,
      model.role,
      build.precision,
      megabytes(build.bytes).padStart(7),
      build.sha256.slice(0, 12),
      stateOf(model, build, folder),
      licenseOf(model),
      acceptances[i]?.accepted_at.slice(0, 10) ?? "",
    ]),
  );
  const table = [["name", "role", "precision", "size", "sha256", "state", "license", "accepted"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join("  ")
      .trimEnd(),
  );
}

function stateOf(model: Model, build: Build, folder: string): string {
  if (existsSync(modelFile(folder, model, build))) return "built";
  return isUnpulled(folder, model.source) ? "not pulled" : "not built";
}
