import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";

const bytesMax = 10 * 1024 * 1024;

/**
 * What one process printed, on disk. Bounded: a full file becomes `<file>.1`, whose predecessor goes. Written at once,
 * so that the last words of a process that dies are there.
 */
export class LogFile {
  readonly #path: string;
  #file: number;
  #bytes: number;
  #closed = false;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = statSync(path).size;
  }

  /** Does nothing once it is closed: a process may be outlived by what holds the other end of its pipe. */
  write(line: string): void {
    if (this.#closed) return;
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes + bytes.length > bytesMax) this.#turn();
    writeSync(this.#file, bytes);
    this.#bytes += bytes.length;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    closeSync(this.#file);
  }

  #turn(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = 0;
  }
}
