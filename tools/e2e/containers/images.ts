import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { baseImages, makeBaseImages } from "./base-images.ts";
import { ContainerEngine, type StorageOptions } from "./engine.ts";

export const imageTargets = ["ingress", "batcher", "inference", "tools"] as const;

/** Value for the `skip` of a test: false where containers can be built and run, else the reason. */
export function withoutContainers(): string | false {
  const lack = lackForContainers();
  return lack !== undefined && `NOT CHECKED in containers: ${lack}`;
}

/** Returns what this machine lacks to build and run containers; undefined if nothing. */
export function lackForContainers(): string | undefined {
  if (process.getuid?.() !== 0) return "this needs root";
  const missing = programs.filter((name) => spawnSync(name, ["--version"]).error !== undefined);
  if (missing.length === 0) return undefined;
  return `apt install ${packages} (missing: ${missing.join(", ")})`;
}

const programs = ["buildah", "podman", "runc", "iptables", "mmdebstrap", "nsenter", "python3"];
const packages = "buildah podman runc netavark aardvark-dns iptables mmdebstrap python3-venv";

/** The engine of the tests, with base images, and the folder of its storage. Both stay for the next run. */
export async function openEngine(
  steps: Steps,
  storage: StorageOptions = {},
): Promise<{ engine: ContainerEngine; folder: string }> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "containers");
  const engine = new ContainerEngine(folder, storage);
  await makeBaseImages(engine, folder, steps);
  return { engine, folder };
}

/**
 * Builds the images `localhost/NAMES/TARGET` of a source tree, which is the working tree by default. What has
 * not changed is taken from an earlier build.
 */
export async function buildImages(
  engine: ContainerEngine,
  steps: Steps,
  { names = "faceline", sources = repository, buildBase = baseImages.buildBase }: ImageOptions = {},
): Promise<void> {
  const images = join(sources, "deploy", "images");
  const ca = process.env["NODE_EXTRA_CA_CERTS"];
  const options = [
    `--build-arg=BASE=${baseImages.base}`,
    `--build-arg=BUILD_BASE=${buildBase}`,
    `--ignorefile=${join(images, "Dockerfile.dockerignore")}`,
    ...(ca === undefined ? [] : [`--secret=id=ca,src=${ca}`]),
  ];
  for (const target of imageTargets) {
    const tag = imageTag(names, target);
    const args = ["--target", target, ...options];
    await steps.run(tag, () => engine.build(tag, join(images, "Dockerfile"), sources, ...args));
  }
}

export const imageTag = (names: string, target: ImageTarget): string => `localhost/${names}/${target}`;

type ImageTarget = (typeof imageTargets)[number];

/** `buildBase`: the image in which the packages are installed, of which nothing is in the result. */
type ImageOptions = { names?: string; sources?: string; buildBase?: string };
