import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../launcher/capture.ts";
import { repository } from "../../launcher/state-folder.ts";
import { baseImages } from "./base-images.ts";
import type { ContainerEngine } from "./engine.ts";

/** deploy/compose/compose.yaml, run by podman-compose, with secrets and a port of its own. */
export class Compose {
  readonly #engine: ContainerEngine;
  readonly #python: string;
  readonly #secrets: string;
  readonly #port: number;

  constructor({ engine, python, folder, port }: ComposeOptions) {
    this.#engine = engine;
    this.#python = python;
    this.#port = port;
    this.#secrets = join(folder, "secrets");
    mkdirSync(this.#secrets, { recursive: true, mode: 0o700 });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Runs podman-compose with its arguments, such as `up -d`. */
  run(...args: string[]): Promise<string> {
    const files = ["-f", join(repository, "deploy", "compose", "compose.yaml")];
    const podman = ["--in-pod", "false", "--podman-path", this.#engine.podmanFile];
    return capture(this.#python, ["-m", "podman_compose", ...podman, ...files, "-p", project, ...args], {
      env: {
        ...this.#engine.env,
        KAFKA_IMAGE: baseImages.servers,
        REDIS_IMAGE: baseImages.servers,
        SECRETS_FOLDER: this.#secrets,
        INGRESS_ADDRESS: `127.0.0.1:${this.#port}`,
        INTRA_OP_THREADS: "1",
        LOG_LEVEL: "info",
      },
    });
  }

  readSecret(name: string): string {
    return readFileSync(join(this.#secrets, name), "utf8").trim();
  }

  /** The containers that run, by the names of their services. */
  async containers(): Promise<Container[]> {
    const filter = ["--filter", `label=io.podman.compose.project=${project}`];
    const label = `{{index .Config.Labels "com.docker.compose.service"}}`;
    const format = `container {{.Id}} {{.State.Pid}} {{.HostConfig.ReadonlyRootfs}} ${label}`;
    const ids = (await this.#engine.podman("ps", "--quiet", ...filter)).trim().split("\n");
    // podman may warn beside its answer.
    const lines = (await this.#engine.podman("inspect", "--format", format, ...ids)).split("\n");
    return lines
      .filter((line) => line.startsWith("container "))
      .map(
        (line) =>
          line.split(" ") as [kind: string, id: string, pid: string, readOnly: string, service: string],
      )
      .map(([, id, pid, readOnly, service]) => ({
        id,
        service,
        pid: Number(pid),
        readOnly: readOnly === "true",
      }));
  }

  /** The last lines of each container, for a test that fails. */
  async logs(): Promise<string> {
    return this.run("logs", "--tail", "15").catch((error: Error) => error.message);
  }

  /** Files that a container has changed outside of its volumes, without those that podman makes. */
  async changedFiles({ id }: Container): Promise<string[]> {
    const lines = (await this.#engine.podman("diff", id)).trim().split("\n");
    return lines.filter((line) => line !== "" && !madeByPodman.test(line));
  }
}

const project = "faceline-test";
/** Mount points with the folders above them, and the name of the container's user. */
const madeByPodman =
  /^[AC] \/(etc|etc\/(passwd|group)|proc|sys|dev|run|run\/secrets|tmp|data|var|var\/(tmp|lib\/kafka\/data))$/;

type ComposeOptions = { engine: ContainerEngine; python: string; folder: string; port: number };

export type Container = { id: string; service: string; pid: number; readOnly: boolean };
