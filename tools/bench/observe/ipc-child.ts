import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "@faceline/deploy/launcher/state-folder";

/**
 * A program of this repository with an IPC channel. It leads a process group of its own, so that its CPU time
 * and its memory can be told apart from the benchmark's. Disposing it closes the channel, which ends such a
 * program; an abort of `stop` ends it at once.
 */
export class IpcChild implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;

  /** `name` stands in errors; `file` is relative to the repository. */
  constructor(name: string, file: string, args: readonly string[], { env, stop }: IpcChildOptions = {}) {
    this.#name = name;
    this.#child = spawn(process.execPath, [join(repository, file), ...args], {
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...env },
    });
    const kill = () => void this.#child.kill("SIGTERM");
    stop?.addEventListener("abort", kill, { once: true });
    this.#child.once("exit", () => stop?.removeEventListener("abort", kill));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /**
   * Returns the next message of the program for which `accepts` is true. Throws when the program ends before
   * it.
   */
  async receive(accepts: (message: unknown) => boolean = () => true): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = (message: unknown) => {
      if (accepts(message)) resolve(message);
    };
    const onExit = () => reject(new Error(`${this.#name} ended`));
    this.#child.on("message", onMessage);
    this.#child.once("exit", onExit);
    try {
      return await promise;
    } finally {
      this.#child.off("message", onMessage);
      this.#child.off("exit", onExit);
    }
  }

  /** Sends a message and returns what `receive` does. */
  request(message: object, accepts?: (message: unknown) => boolean): Promise<unknown> {
    this.#child.send(message);
    return this.receive(accepts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}

type IpcChildOptions = { env?: NodeJS.ProcessEnv; stop?: AbortSignal };
