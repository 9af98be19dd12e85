import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { baseImages, makeBaseImages } from "./base-images.ts";
import { ContainerEngine } from "./engine.ts";

/** Value for the `skip` of a test: false where containers can be built and run, else the reason. */
export function withoutContainers(): string | false {
  if (process.getuid?.() !== 0) return "NOT CHECKED in containers: this needs root";
  const missing = programs.filter((name) => spawnSync(name, ["--version"]).error !== undefined);
  return missing.length > 0 && `NOT CHECKED in containers: install ${missing.join(", ")}`;
}

const programs = ["buildah", "podman", "runc", "iptables", "mmdebstrap", "nsenter", "python3"];

/**
 * Returns the engine of the tests, and the folder of its storage, with the images `localhost/faceline/TARGET`
 * of the working tree. What has not changed is taken from an earlier build.
 */
export async function openEngine(
  steps: Steps,
  targets = ["ingress", "batcher", "inference", "tools"],
): Promise<{ engine: ContainerEngine; folder: string }> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "containers");
  const engine = new ContainerEngine(folder);
  await makeBaseImages(engine, folder, steps);
  const images = join(repository, "deploy", "images");
  const ca = process.env["NODE_EXTRA_CA_CERTS"];
  const options = [
    `--build-arg=BASE=${baseImages.base}`,
    `--build-arg=BUILD_BASE=${baseImages.buildBase}`,
    `--ignorefile=${join(images, "Dockerfile.dockerignore")}`,
    ...(ca === undefined ? [] : [`--secret=id=ca,src=${ca}`]),
  ];
  for (const target of targets) {
    const tag = `localhost/faceline/${target}`;
    const args = ["--target", target, ...options];
    await steps.run(tag, () => engine.build(tag, join(images, "Dockerfile"), repository, ...args));
  }
  return { engine, folder };
}
