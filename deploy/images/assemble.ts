import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repository } from "../launcher/state-folder.ts";
import { makeReadable } from "./file-modes.ts";
import { type Lock, packageClosure } from "./package-closure.ts";
import { type Sbom, sbomOf } from "./sbom.ts";

// node assemble.ts TARGET FOLDER: copies what an image of TARGET holds, sources and packages, into FOLDER,
// with the SBOM of these packages. Run by the Dockerfile after `npm ci --omit=dev` and `npm sbom`.

const documents = ["docs/using", "docs/operating", "CHANGELOG.md", "SECURITY.md"];

/** The workspaces of each target, packages of it that no process loads, and documents that its pages show. */
const targets: Record<string, { workspaces: string[]; without: string[]; documents?: string[] }> = {
  // face-api and human bring the weights that models are built from; tar unpacks pulled ones, yauzl CUDA
  // libraries.
  ingress: {
    workspaces: ["ingress"],
    without: ["@vladmandic/face-api", "@vladmandic/human", "tar", "yauzl"],
    documents,
  },
  batcher: { workspaces: ["batcher"], without: [] },
  inference: {
    workspaces: ["inference"],
    without: ["@vladmandic/face-api", "@vladmandic/human", "tar", "yauzl", "csv-parse"],
  },
  tools: { workspaces: ["deploy"], without: [] },
  standalone: {
    workspaces: ["ingress", "batcher", "inference", "deploy"],
    without: ["@vladmandic/face-api", "@vladmandic/human"],
    documents,
  },
};

const [target = "", to = ""] = process.argv.slice(2);
const image = targets[target];
if (image === undefined || to === "") throw new Error("usage: node deploy/images/assemble.ts TARGET FOLDER");

const lock = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as Lock;
const without = new Set(image.without);
const folders = [...new Set(image.workspaces.flatMap((each) => packageClosure(lock, each, without)))];
const platform = `${process.platform}/${process.arch}`;
for (const folder of folders) {
  // A package of another platform is in the lock file, and was not installed.
  if (!existsSync(join(repository, folder))) continue;
  copy(folder);
  if (!folder.startsWith("node_modules/")) link(folder);
}
const common = ["package.json", "LICENSE", "NOTICE", "deploy/images/healthcheck.ts"];
for (const file of [...common, ...(image.documents ?? [])]) copy(file);
const sbom = JSON.parse(readFileSync(join(repository, "sbom.json"), "utf8")) as Sbom;
const node = `node_modules/node-${process.platform}-${process.arch}`;
const ownSbom = sbomOf(sbom, lock, [...folders, node]);
writeFileSync(join(to, "sbom.cdx.json"), `${JSON.stringify(ownSbom, null, 1)}\n`);
// Processes of the image are a user of their own, and two clones must give the same image.
makeReadable(to);

function copy(path: string): void {
  const source = join(repository, path);
  mkdirSync(dirname(join(to, path)), { recursive: true });
  const filter = (file: string) => isWanted(relative(source, file));
  cpSync(source, join(to, path), { recursive: true, verbatimSymlinks: true, filter });
}

/** The name by which packages of the repository import each other. */
function link(folder: string): void {
  const name = join(to, "node_modules", "@faceline", folder);
  mkdirSync(dirname(name), { recursive: true });
  symlinkSync(`../../${folder}`, name);
}

/** Nested packages have a folder of their own in the list; of native libraries one platform's are needed. */
function isWanted(file: string): boolean {
  if (/(^|\/)node_modules(\/|$)/.test(file)) return false;
  const [, onnxruntime] = /^bin\/napi-v\d+\/(\w+\/\w+)/.exec(file) ?? [];
  if (onnxruntime !== undefined && onnxruntime !== platform) return false;
  const [, jpegTurbo] = /^prebuilds\/jpeg-turbo-([^/]+)/.exec(file) ?? [];
  if (jpegTurbo !== undefined && jpegTurbo !== platform.replace("/", "-")) return false;
  // koffi's other build for Linux: the images have glibc.
  if (file.startsWith("musl_")) return false;
  // Types and source maps, and the weights' demonstration: no process reads them.
  return !/\.d\.[cm]?ts$|\.map$|^demo\//.test(file);
}
