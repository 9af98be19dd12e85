import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { type Content, compress, uncompressed } from "./content.ts";
import {
  makeThumbnail,
  pictureName,
  readPicture,
  type SampleAssetName,
  sampleNames,
  thumbnailName,
} from "./samples.ts";

/**
 * Every file that browsers may load, by its path in this folder; the sample pictures come on top. What is not
 * listed is not served. The paths stay as they are, so that scripts import each other as their sources do.
 */
const files = [
  "browser/faceline.css",
  "browser/icon.svg",
  "browser/theme.ts",
  "browser/code.ts",
  "browser/contents.ts",
  "browser/tester.css",
  "browser/tester/answer-view.ts",
  "browser/tester/call.ts",
  "browser/tester/camera.ts",
  "browser/tester/element.ts",
  "browser/tester/faces.ts",
  "browser/tester/json-view.ts",
  "browser/tester/main.ts",
  "browser/tester/overlay.ts",
  "browser/tester/picture.ts",
  "browser/tester/result.ts",
  "browser/tester/samples.ts",
  "browser/tester/scale-view.ts",
  "browser/tester/settings-form.ts",
  "browser/tester/slot.ts",
  "browser/tester/slots.ts",
  "browser/tester/tester.ts",
  "browser/tester/time-view.ts",
  "tester/call-example.ts",
  "tester/distance-scale.ts",
  "tester/failure.ts",
  "tester/json-lines.ts",
  "tester/labelled-pairs.ts",
  "tester/settings.ts",
  "tester/verdict.ts",
  "tester/waterfall.ts",
  "docs/reference/snippets.ts",
] as const;

/** Files of packages, by the names under which they are served. */
const packageFiles = {
  "browser/geist.woff2": "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  "browser/geist-licence.txt": "@fontsource-variable/geist/LICENSE",
};
type FileName = (typeof files)[number] | keyof typeof packageFiles;
export type AssetName = FileName | SampleAssetName;

export const assetNames: AssetName[] = [
  ...files,
  ...(Object.keys(packageFiles) as (keyof typeof packageFiles)[]),
  ...sampleNames.flatMap((sample) => [pictureName(sample), thumbnailName(sample)]),
];

/**
 * Assets under one folder that is named by a hash of all of them. Browsers keep them for a year; scripts and
 * styles name each other by relative addresses, and a change of one moves all.
 */
export class Assets {
  readonly #contents: ReadonlyMap<AssetName, Content>;
  readonly #version: string;

  constructor(contents: Map<AssetName, Content>) {
    this.#contents = contents;
    const hash = createHash("sha256");
    for (const [name, { etag }] of contents) {
      // Made of a picture that counts. Its bytes may differ between CPUs, and all ingresses need one hash.
      if (!name.endsWith(".webp")) hash.update(`${name} ${etag}\n`);
    }
    this.#version = hash.digest("hex").slice(0, versionCharacters);
  }

  /** The address of an asset, relative to the origin. */
  address(name: AssetName): string {
    return `/assets/${this.#version}/${name}`;
  }

  content(name: AssetName): Content {
    return this.#contents.get(name)!;
  }
}

/** Reads all assets, removes the types from scripts, and compresses what is not compressed yet. */
export async function readAssets(): Promise<Assets> {
  const contents = await Promise.all([
    ...files.map(async (name) => [name, await readAsset(name, new URL(name, import.meta.url))] as const),
    ...Object.entries(packageFiles).map(
      async ([name, source]) =>
        [name as keyof typeof packageFiles, await readAsset(name, packages.resolve(source))] as const,
    ),
    ...sampleNames.flatMap((sample) => [
      readPicture(sample).then((body) => [pictureName(sample), uncompressed("image/jpeg", body)] as const),
      makeThumbnail(sample).then(
        (body) => [thumbnailName(sample), uncompressed("image/webp", body)] as const,
      ),
    ]),
  ]);
  return new Assets(new Map<AssetName, Content>(contents));
}

async function readAsset(name: string, source: URL | string): Promise<Content> {
  const body = await readFile(source);
  const extension = name.split(".").at(-1)!;
  const type = contentTypes[extension as keyof typeof contentTypes];
  if (extension === "woff2") return uncompressed(type, body);
  return compress(type, extension === "ts" ? Buffer.from(withoutTypes(body.toString())) : body);
}

/** Lines and columns stay where they are, because types are replaced by blanks. */
const withoutTypes = (script: string): string => stripTypeScriptTypes(script, { mode: "strip" });

const packages = createRequire(import.meta.url);

const contentTypes = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  ts: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
};

const versionCharacters = 12;
