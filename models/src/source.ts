import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { Model } from "./catalogue-entry.ts";
import type { OnnxSource, Source, TarballSource, TfjsSource, WheelSource } from "./catalogue-source.ts";
import { pullCommand, sha256 } from "./model-file.ts";

/**
 * Reads TensorFlow.js weights, each file checked by its SHA-256. Nothing is downloaded: npm has installed
 * them, or they were pulled into the folder of built models.
 */
export async function readTfjsSource(
  folder: string,
  model: Model,
  source: TfjsSource | TarballSource,
): Promise<{ manifest: unknown; bytes: Uint8Array }> {
  const [root, advice] =
    source.kind === "npm_tarball"
      ? [pulledFolder(folder, source), `${pullCommand(folder, model)} fetches it`]
      : [packageFolder(source.package), `"npm ci" installs it`];
  const read = (file: { path: string; sha256: string }) =>
    readChecked(join(root, file.path), {
      name: `${source.package}/${file.path}`,
      version: source.version,
      sha256: file.sha256,
      advice,
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

/** Reads the .onnx file of a wheel, checked by its SHA-256. */
export async function readWheelSource(
  folder: string,
  model: Model,
  source: WheelSource,
): Promise<Uint8Array> {
  const { path, name, sha256 } = source.file;
  return readChecked(join(pulledFolder(folder, source), name), {
    name: path,
    version: source.wheel.file,
    sha256,
    advice: `${pullCommand(folder, model)} fetches it`,
  });
}

/**
 * Reads and checks all files that a model is made from. Throws one sentence for the first that is missing or
 * changed.
 */
export async function checkSource(folder: string, model: Model): Promise<void> {
  const { source } = model;
  if (source.kind === "onnx_file") await readOnnxSource(source);
  else if (source.kind === "wheel_onnx") await readWheelSource(folder, model, source);
  else await readTfjsSource(folder, model, source);
}

/** Returns the folder of a package's pulled files, below that of built models. */
export function pulledFolder(folder: string, source: TarballSource | WheelSource): string {
  const { name, version } =
    source.kind === "wheel_onnx" ? source.wheel : { name: source.package, version: source.version };
  return join(folder, "sources", `${name}@${version}`);
}

/** Returns the paths that a model's weights are pulled to; none if they ship with Faceline. */
export function pulledFiles(folder: string, source: Source): string[] {
  if (source.kind === "npm_tfjs" || source.kind === "onnx_file") return [];
  const names =
    source.kind === "wheel_onnx"
      ? [source.file.name]
      : [source.manifest, ...source.weights].map(({ path }) => path);
  return names.map((name) => join(pulledFolder(folder, source), name));
}

/** Whether a model's weights must be pulled, and some of their files are missing. */
export function isUnpulled(folder: string, source: Source): boolean {
  return pulledFiles(folder, source).some((path) => !existsSync(path));
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
  return dirname(findPackageJSON(name, import.meta.url)!);
}

type ExpectedFile = { name: string; version: string; sha256: string; advice: string };
