import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The part of a file that has come, so that the next try goes on from there: the bytes, and beside them what
 * they are of. The name is the SHA-256 that the file must have, so no other file can be continued.
 * download.test.ts covers it.
 */
export class PartFile {
  readonly path: string;
  readonly #statePath: string;

  private constructor(folder: string, sha256: string) {
    this.path = join(folder, `${sha256}.part`);
    this.#statePath = `${this.path}.json`;
  }

  /** Removes parts that nobody went on with for a week. */
  static async open(folder: string, sha256: string): Promise<PartFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const since = (await stat(path).catch(() => undefined))?.mtimeMs;
      if (since !== undefined && Date.now() - since > partsKeptMs) await rm(path, { force: true });
    }
    return new PartFile(folder, sha256);
  }

  async bytes(): Promise<number> {
    return (await stat(this.path).catch(() => undefined))?.size ?? 0;
  }

  /** Returns the server's validator from when the part began; undefined where it cannot be continued. */
  async validator(url: string): Promise<string | undefined> {
    try {
      const state = JSON.parse(await readFile(this.#statePath, "utf8")) as Partial<PartState>;
      return state.url === url && typeof state.validator === "string" ? state.validator : undefined;
    } catch {
      // No state, or one that a killed pull has left half written: the download starts again.
      return undefined;
    }
  }

  /** Writes the state before the first byte: a part is never of another file than its state says. */
  async begin(url: string, validator: string | undefined): Promise<void> {
    await this.remove();
    if (validator !== undefined) await writeFile(this.#statePath, JSON.stringify({ url, validator }));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.#statePath, { force: true });
  }
}

const partsKeptMs = 7 * 24 * 3_600_000;

type PartState = { url: string; validator: string };
