import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Source } from "./catalogue.ts";
import { sha256 } from "./model-file.ts";

/** The files that a model is made from, each checked. Nothing is downloaded: npm has brought the package. */
export async function readSource(source: Source): Promise<{ manifest: unknown; bytes: Uint8Array }> {
  const manifest = await readChecked(source, source.manifest);
  const weights: Uint8Array[] = [];
  for (const file of source.weights) weights.push(await readChecked(source, file));
  return { manifest: JSON.parse(manifest.toString("utf8")), bytes: Buffer.concat(weights) };
}

async function readChecked(source: Source, file: Source["manifest"]): Promise<Buffer> {
  const bytes = await readFile(join(packageFolder(source.package), file.path)).catch((cause: unknown) => {
    throw new Error(`${source.package}/${file.path} cannot be read; "npm ci" brings it`, { cause });
  });
  const found = sha256(bytes);
  if (found === file.sha256) return bytes;
  const expected = `that of ${source.version} has ${file.sha256}`;
  throw new Error(`${source.package}/${file.path} has the SHA-256 ${found}; ${expected}`);
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
