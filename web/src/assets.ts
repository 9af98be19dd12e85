import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tokensSheet, typefaceFile } from "@faceline/runtime/design/style-sheet";
import { type Content, compress, uncompressed } from "./content.ts";
import {
  makePreview,
  makeThumbnail,
  imageName,
  previewName,
  readImage,
  type SampleAssetName,
  sampleNames,
  thumbnailName,
} from "./samples.ts";
import { readScripts, type ScriptName, scriptNames } from "./scripts.ts";

/**
 * Every file that browsers may load as it is, by its name, and where it comes from. Scripts and the sample
 * images are added. What is not listed is not served.
 */
const files = {
  "faceline.css": "browser/faceline.css",
  "tester.css": "browser/tester.css",
  "accounts.css": "browser/accounts.css",
  "icon.svg": "@faceline/runtime/design/icon.svg",
  "geist.woff2": typefaceFile,
  "geist-licence.txt": "@fontsource-variable/geist/LICENSE",
};
type FileName = keyof typeof files;
export type AssetName = FileName | ScriptName | SampleAssetName;

export const assetNames: AssetName[] = [
  ...(Object.keys(files) as FileName[]),
  ...scriptNames,
  ...sampleNames.flatMap((sample) => [imageName(sample), previewName(sample), thumbnailName(sample)]),
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
      // Derived from an image that counts. Its bytes differ between CPUs, and all ingresses need one hash.
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

/** Reads all assets and compresses what is not compressed yet. Throws if the scripts are not built. */
export async function readAssets(): Promise<Assets> {
  const contents = await Promise.all([
    ...Object.entries(files).map(
      async ([name, source]) => [name as FileName, await readAsset(name, source)] as const,
    ),
    ...sampleNames.flatMap((sample) => [
      readImage(sample).then((body) => [imageName(sample), uncompressed("image/jpeg", body)] as const),
      makePreview(sample).then((body) => [previewName(sample), uncompressed("image/webp", body)] as const),
      makeThumbnail(sample).then(
        (body) => [thumbnailName(sample), uncompressed("image/webp", body)] as const,
      ),
    ]),
  ]);
  const scripts = Array.from(await readScripts(), async ([name, code]) => {
    return [name, await compress("text/javascript; charset=utf-8", code)] as const;
  });
  return new Assets(new Map<AssetName, Content>([...contents, ...(await Promise.all(scripts))]));
}

async function readAsset(name: string, source: string): Promise<Content> {
  const body = await readFile(
    source.startsWith("@") ? packages.resolve(source) : new URL(source, import.meta.url),
  );
  const tokens = name === "faceline.css" ? await tokensSheet("geist.woff2") : "";
  const extension = name.split(".").at(-1)!;
  const type = contentTypes[extension as keyof typeof contentTypes];
  return extension === "woff2" ? uncompressed(type, body) : compress(type, Buffer.from(tokens + body));
}

const packages = createRequire(import.meta.url);

const contentTypes = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
};

const versionCharacters = 12;
