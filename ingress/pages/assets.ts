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
 * Every file that browsers may load, by its name, and where it comes from; the sample pictures come on top.
 * What is not listed is not served. A name has the folders below `browser/`, so that scripts import each
 * other by the paths of their sources.
 */
const sources = {
  "faceline.css": "browser/faceline.css",
  "icon.svg": "browser/icon.svg",
  "theme.ts": "browser/theme.ts",
  "code.ts": "browser/code.ts",
  "contents.ts": "browser/contents.ts",
  "geist.woff2": "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  "geist-licence.txt": "@fontsource-variable/geist/LICENSE",
};
export type AssetName = keyof typeof sources | SampleAssetName;

export const assetNames: AssetName[] = [
  ...(Object.keys(sources) as (keyof typeof sources)[]),
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
  const files = Object.keys(sources) as (keyof typeof sources)[];
  const contents = await Promise.all([
    ...files.map(async (name) => [name, await readAsset(name)] as const),
    ...sampleNames.flatMap((sample) => [
      readPicture(sample).then((body) => [pictureName(sample), uncompressed("image/jpeg", body)] as const),
      makeThumbnail(sample).then(
        (body) => [thumbnailName(sample), uncompressed("image/webp", body)] as const,
      ),
    ]),
  ]);
  return new Assets(new Map<AssetName, Content>(contents));
}

async function readAsset(name: keyof typeof sources): Promise<Content> {
  const body = await readFile(pathOf(sources[name]));
  const extension = name.split(".").at(-1)!;
  const type = contentTypes[extension as keyof typeof contentTypes];
  if (extension === "woff2") return uncompressed(type, body);
  return compress(type, extension === "ts" ? Buffer.from(withoutTypes(body.toString())) : body);
}

const pathOf = (source: string): URL | string =>
  source.startsWith("@") ? packages.resolve(source) : new URL(source, import.meta.url);

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
