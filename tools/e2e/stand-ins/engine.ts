import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";

/**
 * buildah and podman of Debian, with a storage of their own below `folder`, so that a test touches no other
 * images and containers of this machine. Needs root.
 */
export class ContainerEngine {
  /** A program that takes podman's arguments and adds those of the storage, for podman-compose. */
  readonly podmanFile: string;
  readonly #storage: string[];
  readonly #temporary: string;

  constructor(folder: string) {
    const [root, run, temporary] = ["root", "run", "tmp"].map((name) => join(folder, name)) as Folders;
    this.#temporary = temporary;
    this.#storage = ["--root", root, "--runroot", run, "--storage-driver", "overlay"];
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    this.podmanFile = join(folder, "podman");
    const words = ["podman", ...this.#storage, ...runtime].map((word) => `'${word}'`).join(" ");
    const script = ["#!/bin/sh", withoutTimers, `exec ${words} "$@"`, ""];
    writeFileSync(this.podmanFile, script.join("\n"), { mode: 0o700 });
  }

  /** The environment of both programs. buildah keeps its caches in TMPDIR. */
  get env(): NodeJS.ProcessEnv {
    return { ...process.env, TMPDIR: this.#temporary };
  }

  podman(...args: string[]): Promise<string> {
    return capture("podman", [...this.#storage, ...runtime, ...args], { env: this.env });
  }

  /** Builds an image of the folder `context`. Times of files and of the image are 0. */
  async build(tag: string, dockerfile: string, context: string, ...options: string[]): Promise<void> {
    const fixed = ["--isolation", "chroot", "--network", "host", "--pull-never", "--timestamp", "0"];
    // Docker's own format: that of OCI has no health check.
    const format = ["--format", "docker", "--layers"];
    const args = [...fixed, ...format, ...options, "-t", tag, "-f", dockerfile, context];
    await capture("buildah", [...this.#storage, "bud", ...args], { env: this.env });
  }

  /** The digest of an image; undefined if there is none of this name. */
  async imageId(tag: string): Promise<string | undefined> {
    const printed = await this.podman("image", "inspect", "--format", "{{.Id}}", tag).catch(() => "");
    return printed.trim() || undefined;
  }
}

/** Options for machines without systemd, and kernels with the older groups of processes. */
const runtime = ["--cgroup-manager", "cgroupfs", "--runtime", "runc"];

/**
 * podman 4.3 runs health checks by timers of systemd. Where there is none, it does not restart a container
 * that has a health check.
 */
const withoutTimers = `[ "$1" = create ] && shift && set -- create --no-healthcheck "$@"`;

type Folders = [root: string, run: string, temporary: string];
