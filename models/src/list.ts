import { existsSync } from "node:fs";
import { licenseOf } from "./catalogue.ts";
import type { Build, Model } from "./catalogue-entry.ts";
import { megabytes } from "./megabytes.ts";
import { modelFile } from "./model-file.ts";
import { isUnpulled } from "./source.ts";

/** A table, one line a build: what it is, and whether it is in the folder. main.test.ts covers it. */
export function listLines(models: readonly Model[], folder: string): string[] {
  const rows = models.flatMap((model) =>
    model.builds.map((build) => [
      model.name,
      model.role,
      build.precision,
      megabytes(build.bytes).padStart(7),
      build.sha256.slice(0, 12),
      stateOf(model, build, folder),
      licenseOf(model),
    ]),
  );
  const table = [["name", "role", "precision", "size", "sha256", "state", "license"], ...rows];
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
