import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { capture } from "@faceline/deploy/launcher/capture";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { findVenv, setUpVenv } from "@faceline/testing/venv";
import { baseImages } from "../stand-ins/base-images.ts";
import type { ContainerEngine } from "../stand-ins/engine.ts";

/** Returns the Python that has podman-compose, which is installed into the state folder the first time. */
export async function findPodmanCompose(steps: Steps, stop: AbortSignal): Promise<string> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const venv = {
    name: "podman-compose",
    pythonMin: "3.9",
    folder: join(resolve(repository, FACELINE_STATE), "podman-compose"),
    requirements: join(import.meta.dirname, "requirements.txt"),
  };
  await setUpVenv(venv, steps, stop);
  return findVenv(venv)!.python;
}

/** Files of deploy/compose, run by podman-compose, with secrets and a port of their own. */
export class Compose {
  readonly #engine: ContainerEngine;
  readonly #python: string;
  readonly #secrets: string;
  readonly #port: number;
  readonly #files: string[];

  constructor({ engine, python, folder, port, files }: ComposeOptions) {
    this.#engine = engine;
    this.#python = python;
    this.#port = port;
    this.#files = files.flatMap((file) => ["-f", resolve(repository, "deploy", "compose", file)]);
    this.#secrets = join(folder, "secrets");
    mkdirSync(this.#secrets, { recursive: true, mode: 0o700 });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Runs podman-compose with its arguments, such as `up -d`. */
  run(...args: string[]): Promise<string> {
    const podman = ["--in-pod", "false", "--podman-path", this.#engine.podmanFile];
    const command = ["-m", "podman_compose", ...podman, ...this.#files, "-p", project, ...args];
    return capture(this.#python, command, {
      env: {
        ...this.#engine.env,
        KAFKA_IMAGE: baseImages.servers,
        REDIS_IMAGE: baseImages.servers,
        PROXY_IMAGE: baseImages.proxy,
        SECRETS_FOLDER: this.#secrets,
        INGRESS_ADDRESS: `127.0.0.1:${this.#port}`,
        INTRA_OP_THREADS: "1",
        LOG_LEVEL: "info",
      },
    });
  }

  /** Runs `up`, and returns what the service `ready` printed until calls were served. */
  async start(): Promise<string> {
    await this.run("up", "--detach");
    const ready = `${project}_ready_1`;
    const code = await this.#engine.podman("wait", ready);
    if (code.trim() !== "0") throw new Error(`ready ended with ${code}\n${await this.logs()}`);
    return this.#engine.podman("logs", ready);
  }

  readSecret(name: string): string {
    return readFileSync(join(this.#secrets, name), "utf8").trim();
  }

  /**
   * Removes containers, networks and volumes at once. `down` stops one container after another and gives each
   * its grace period, which is minutes for all of them.
   */
  async remove(): Promise<void> {
    const rm = ["rm", "--force", "--ignore", "--depend", "--time", "0"];
    // podman refuses a container if another one that depends on it is being removed.
    await waitUntil("all containers are removed", async () => {
      const ids = await this.#ids("ps", "--all");
      if (ids.length > 0) await this.#engine.podman(...rm, ...ids).catch(() => "");
      return ids.length === 0;
    });
    for (const kind of ["network", "volume"]) {
      const names = await this.#ids(kind, "ls");
      if (names.length > 0) await this.#engine.podman(kind, "rm", "--force", ...names);
    }
  }

  /** Ids or names of what podman lists of this compose. */
  async #ids(...list: string[]): Promise<string[]> {
    const filter = ["--quiet", "--filter", `label=io.podman.compose.project=${project}`];
    const printed = await this.#engine.podman(...list, ...filter);
    // podman may warn beside its answer.
    return printed.split("\n").filter((line) => /^[\w.-]+$/.test(line));
  }

  /** The containers that run, by the names of their services. */
  async containers(): Promise<Container[]> {
    const label = `{{index .Config.Labels "com.docker.compose.service"}}`;
    const format = `container {{.Id}} {{.State.Pid}} {{.HostConfig.ReadonlyRootfs}} ${label} {{.Name}}`;
    const ids = await this.#ids("ps");
    const lines = (await this.#engine.podman("inspect", "--format", format, ...ids)).split("\n");
    return lines
      .filter((line) => line.startsWith("container "))
      .map((line) => {
        const [, id = "", pid, readOnly, service = "", name = ""] = line.split(" ");
        return { id, name, service, pid: Number(pid), readOnly: readOnly === "true" };
      });
  }

  /**
   * Stops a container within the longest grace period and starts it again. `podman restart` refuses it,
   * because podman-compose makes it depend on `set-up`, which has ended; `start` runs that again.
   */
  async restart({ id }: Container): Promise<void> {
    await this.#engine.podman("stop", "--time", "45", id);
    await this.#engine.podman("start", id);
  }

  /** The operators' port of a container that runs, as this machine reaches it. */
  async operatorsAddress(id: string): Promise<string> {
    const format = "{{range .NetworkSettings.Networks}}address {{.IPAddress}}\n{{end}}";
    const printed = await this.#engine.podman("inspect", "--format", format, id);
    return `http://${/^address (\S+)/m.exec(printed)![1]}:9464`;
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

/** `folder`: of the secrets. `files`: names in deploy/compose, or whole paths. */
type ComposeOptions = {
  engine: ContainerEngine;
  python: string;
  folder: string;
  port: number;
  files: string[];
};

export type Container = { id: string; name: string; service: string; pid: number; readOnly: boolean };
