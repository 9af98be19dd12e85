import type { Writable } from "node:stream";
import { Command } from "ioredis";

/**
 * A command whose buffers are written to the socket as they are. ioredis would copy each into one more buffer
 * of the size of all of them. It goes through `sendCommand` like any other, so it is refused, counted and
 * watched as they are.
 */
export class UncopiedCommand extends Command {
  readonly #writes: Promise<void>[] = [];

  /**
   * Resolves when nothing reads the buffers any more: the command has its reply or has failed, and the socket
   * has sent them or is closed. A command may fail long before its bytes have left. Never rejects.
   */
  async ended(): Promise<void> {
    await Promise.allSettled([this.promise]);
    await Promise.all(this.#writes);
  }

  /** Writes all but the last text, which ioredis writes. The socket is corked until the end of the turn. */
  override toWritable(socket: Writable): string {
    if (this.#writes.length > 0)
      throw new Error("a command was resent, and its buffers may have changed since");
    let text = `*${this.args.length + 1}\r\n${bulk(this.name)}`;
    for (const arg of this.args) {
      if (!Buffer.isBuffer(arg)) {
        text += bulk(String(arg));
        continue;
      }
      socket.write(`${text}$${arg.length}\r\n`);
      const { promise, resolve } = Promise.withResolvers<void>();
      // Also called when the socket was destroyed, after the kernel has released the bytes.
      socket.write(arg, () => resolve());
      this.#writes.push(promise);
      text = "\r\n";
    }
    return text;
  }
}

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
