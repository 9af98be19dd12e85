import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/contracts/runtime/config";
import { LauncherConfig } from "../../launcher/settings.ts";
import { repository } from "../../launcher/state-folder.ts";
import { baseImages, makeBaseImages } from "./base-images.ts";
import { ContainerEngine } from "./engine.ts";

const targets = ["ingress", "batcher", "inference", "tools"] as const;
const imageTag = (target: ImageTarget): string => `localhost/faceline/${target}`;

/** For the `skip` of a test: false where containers can be built and run, else the reason to print. */
export function withoutContainers(): string | false {
  if (process.getuid?.() !== 0) return "NOT CHECKED in containers: this test needs root";
  const missing = programs.filter((name) => spawnSync(name, ["--version"]).error !== undefined);
  if (missing.length === 0) return false;
  return `NOT CHECKED in containers: apt install ${packages} (missing: ${missing.join(", ")})`;
}

const programs = ["buildah", "podman", "runc", "iptables", "mmdebstrap", "nsenter"];
const packages = "buildah podman runc netavark aardvark-dns iptables mmdebstrap";

/** The engine of the tests, with base images, and the folder of its storage. Both stay for the next run. */
export async function openEngine(): Promise<{ engine: ContainerEngine; folder: string }> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "containers");
  const engine = new ContainerEngine(folder);
  await makeBaseImages(engine, folder);
  return { engine, folder };
}

/** Builds the images of the working tree; what has not changed is taken from an earlier build. */
export async function buildImages(engine: ContainerEngine): Promise<void> {
  const images = join(repository, "deploy", "images");
  const ca = process.env["NODE_EXTRA_CA_CERTS"];
  const options = [
    `--build-arg=BASE=${baseImages.base}`,
    `--build-arg=BUILD_BASE=${baseImages.buildBase}`,
    `--ignorefile=${join(images, "Dockerfile.dockerignore")}`,
    ...(ca === undefined ? [] : [`--secret=id=ca,src=${ca}`]),
  ];
  for (const target of targets) {
    await engine.build(
      imageTag(target),
      join(images, "Dockerfile"),
      repository,
      "--target",
      target,
      ...options,
    );
  }
}

type ImageTarget = (typeof targets)[number];
