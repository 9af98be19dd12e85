import { type Command, Redis, type RedisOptions } from "ioredis";
import { bestEffort } from "./best-effort.ts";
import { ReplyTimeout } from "./reply-timeout.ts";

/** A connection on which nothing came for half of this gets a PING. */
const pingEveryMs = 1_000;

/**
 * A client that proves its connection. One that the network has forgotten (a silent failover, a restarted
 * proxy, a power loss) stays open and "ready" for a quarter of an hour, and every command on it times out.
 *
 *     command or PING ──► a reply is due ──bytes came, or queued ones left──► proved
 *                               └──neither for `silenceMaxMs`──► closed, all its commands fail, reconnect
 *
 * What counts is a reply on this very connection, so subscribers are proved likewise. Bytes that leave a full
 * socket count because large images may take longer than that to leave.
 *
 * The option `commandTimeout` counts the time in which replies could be read: see ReplyTimeout.
 */
export class RedisWithLiveness extends Redis {
  readonly #silenceMaxMs: number;
  readonly #commandMs: number | undefined;
  /** The last bytes from the server came then: the time of `performance.now()`. */
  #repliedAt = Number.NEGATIVE_INFINITY;
  /** The connection has been silent since then, although a reply is due; undefined where none is due. */
  #silentSince: number | undefined;
  /** What the kernel had taken then, and what waited for it. */
  #writesBefore = { sent: 0, queued: 0 };
  #silenceTimeout: ReplyTimeout | undefined;
  #pingTimer: NodeJS.Timeout | undefined;
  /**
   * Called when a command has its reply or has failed, with its name in lower case, and with the error if it
   * failed. Undefined: no clock is read.
   */
  onCommandEnd: ((name: string, durationMs: number, error?: Error) => void) | undefined;

  constructor(
    url: string,
    { commandTimeout, ...options }: Omit<RedisOptions, "replyMapping">,
    silenceMaxMs: number,
  ) {
    super(url, options);
    this.#silenceMaxMs = silenceMaxMs;
    this.#commandMs = commandTimeout;
    this.on("connect", () => this.stream.on("data", () => this.#recordReply()));
    this.on("close", () => {
      this.#silentSince = undefined;
    });
    this.#pingTimer = setInterval(() => {
      if (this.isProved && performance.now() - this.#repliedAt >= pingEveryMs / 2) {
        bestEffort("redis_ping", this.ping());
      }
    }, pingEveryMs);
  }

  /**
   * Whether the connection is open: it is closed when the server falls silent. Not by the age of the last
   * reply: in a process that was blocked, the newest one waits to be read.
   */
  get isProved(): boolean {
    // The status of ioredis stays "ready" while the socket closes.
    return this.status === "ready" && this.stream.writable;
  }

  override disconnect(reconnect = false): void {
    // Not at the event `end`: it is not emitted while the server is unreachable.
    if (!reconnect) {
      clearInterval(this.#pingTimer);
      this.#silenceTimeout?.[Symbol.dispose]();
    }
    super.disconnect(reconnect);
  }

  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    const { onCommandEnd } = this;
    // Without a connection it fails at once, which says nothing about Redis' time.
    if (onCommandEnd !== undefined && this.isProved) {
      const sentAt = performance.now();
      const end = (error?: Error) => onCommandEnd(command.name, performance.now() - sentAt, error);
      command.promise.then(() => end(), end);
    }
    if (this.#commandMs !== undefined) endAfter(command, this.#commandMs);
    const sent = super.sendCommand(command, stream);
    if (this.#silentSince === undefined && this["commandQueue"].length > 0) {
      this.#beginSilence();
      this.#silenceTimeout ??= new ReplyTimeout(this.#silenceMaxMs, () => this.#checkSilence());
    }
    return sent;
  }

  #recordReply(): void {
    this.#repliedAt = performance.now();
    if (this["commandQueue"].length > 0) this.#beginSilence();
    else this.#silentSince = undefined;
  }

  #beginSilence(): void {
    this.#silentSince = performance.now();
    this.#writesBefore = this.#writes;
    // A pipeline is written at the end of this turn; what the kernel takes of it at once proves nothing.
    setImmediate(() => {
      this.#writesBefore = this.#writes;
    });
  }

  /** Bytes that the kernel has taken, and that wait for it. Node's own socket timeouts look at the same. */
  get #writes(): { sent: number; queued: number } {
    const { _handle } = this.stream as unknown as { _handle?: WriteCounters | null };
    if (!_handle) return { sent: 0, queued: 0 };
    return { sent: _handle.bytesWritten - _handle.writeQueueSize, queued: _handle.writeQueueSize };
  }

  #checkSilence(): void {
    this.#silenceTimeout = undefined;
    if (this.#silentSince === undefined) return;
    let remainingMs = this.#silentSince + this.#silenceMaxMs - performance.now();
    if (remainingMs <= 0) {
      const { sent, queued } = this.#writesBefore;
      if (queued === 0 || this.#writes.sent <= sent) return this.#close();
      this.#beginSilence();
      remainingMs = this.#silenceMaxMs;
    }
    this.#silenceTimeout = new ReplyTimeout(remainingMs, () => this.#checkSilence());
  }

  #close(): void {
    this.#silentSince = undefined;
    // Not `disconnect`, which would wait until what is queued was sent.
    this.stream.destroy(new Error(`the Redis server was silent for ${this.#silenceMaxMs} ms`));
  }
}

function endAfter(command: Command, commandMs: number): void {
  // The words of ioredis, by which callers recognise it.
  const timeout = new ReplyTimeout(commandMs, () => command.reject(new Error("Command timed out")));
  const end = () => timeout[Symbol.dispose]();
  command.promise.then(end, end);
}

type WriteCounters = { bytesWritten: number; writeQueueSize: number };
