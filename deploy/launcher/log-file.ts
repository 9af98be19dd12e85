import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";

const bytesMax = 10 * 1024 * 1024;

/**
 * Log file of one process. Bounded: a full file becomes `<file>.1` and replaces the one before it. Written
 * synchronously, so that the last lines of a process that dies are on disk.
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

  /**
   * Does nothing after the file was closed: a grandchild may hold the pipe open longer than its parent lives.
   */
  write(line: string): void {
    if (this.#closed) return;
    const bytes = Buffer.from(`${line}\n`);
    if (this.#bytes + bytes.length > bytesMax) this.#rotate();
    writeSync(this.#file, bytes);
    this.#bytes += bytes.length;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    closeSync(this.#file);
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = 0;
  }
}
