import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { OnnxSource, Source, TfjsSource } from "./catalogue-entry.ts";
import { sha256 } from "./model-file.ts";

/**
 * Reads the weights of an npm package, each file checked by its SHA-256. Nothing is downloaded: npm has
 * installed them.
 */
export async function readTfjsSource(source: TfjsSource): Promise<{ manifest: unknown; bytes: Uint8Array }> {
  const read = (file: TfjsSource["manifest"]) =>
    readChecked(join(packageFolder(source.package), file.path), {
      name: `${source.package}/${file.path}`,
      version: source.version,
      sha256: file.sha256,
      advice: `"npm ci" installs it`,
    });
  const manifest = await read(source.manifest);
  const weights: Uint8Array[] = [];
  for (const file of source.weights) weights.push(await read(file));
  return { manifest: JSON.parse(manifest.toString("utf8")), bytes: Buffer.concat(weights) };
}

/** Reads a finished .onnx file, checked by its SHA-256. */
export async function readOnnxSource({ file, origin }: OnnxSource): Promise<Uint8Array> {
  return readChecked(file.path, {
    name: file.path,
    version: origin,
    sha256: file.sha256,
    advice: `get it from ${origin}`,
  });
}

/**
 * Reads and checks all files that a model is made from. Throws one sentence for the first that is absent or
 * changed.
 */
export async function checkSource(source: Source): Promise<void> {
  if (source.kind === "npm_tfjs") await readTfjsSource(source);
  else await readOnnxSource(source);
}

async function readChecked(path: string, expected: ExpectedFile): Promise<Buffer> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new Error(`${expected.name} cannot be read; ${expected.advice}`, { cause });
  });
  const actual = sha256(bytes);
  if (actual === expected.sha256) return bytes;
  throw new Error(
    `${expected.name} has the SHA-256 ${actual}; that of ${expected.version} has ${expected.sha256}`,
  );
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}

type ExpectedFile = { name: string; version: string; sha256: string; advice: string };
