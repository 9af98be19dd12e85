import { type Command, Redis, type RedisOptions } from "ioredis";
import { bestEffort } from "./best-effort.ts";
import { reportSilence } from "./connection-silence.ts";
import { reportConnection } from "./server-outages.ts";
import { HangTimeout, type Stopwatch } from "./starvation.ts";

/** A connection that was silent for half of this gets a PING. */
const pingEveryMs = 1_000;

/**
 * A client that checks that its connection responds. One that the network has forgotten (a silent failover, a
 * restarted proxy, a power loss) stays open and "ready" for a quarter of an hour, and every command on it
 * times out.
 *
 *     command or PING ──► a reply is due ──bytes came, or queued ones left──► responsive
 *                               └──neither for `silenceMaxMs`──► closed, all its commands fail, reconnect
 *
 * What counts is a reply on this very connection, so subscribers are checked likewise. Bytes that leave a
 * full socket count because large images may take longer than that to leave.
 *
 * The option `commandTimeout` counts the time in which replies could be read: see HangTimeout.
 */
export class RedisWithLiveness extends Redis {
  /** Name of the connection in the log: `REDIS_VOLATILE_URL, images`. */
  readonly #name: string;
  readonly #silenceMaxMs: number;
  readonly #commandMs: number | undefined;
  /** Instant of the last bytes from the server, by `performance.now()`. */
  #repliedAt = Number.NEGATIVE_INFINITY;
  /** Runs while a reply is due, since the last bytes came. */
  #silence: HangTimeout | undefined;
  #isStarved = false;
  /** Bytes sent and queued when the silence began. */
  #writesBefore = { sent: 0, queued: 0 };
  /** Undefined once given up. */
  #pingTimer: NodeJS.Timeout | undefined;
  /**
   * Called when a command has its reply or has failed, with its name in lower case, and with the error if it
   * failed. Undefined: no clock is read.
   */
  onCommandEnd: ((name: string, durationMs: number, error?: Error) => void) | undefined;

  constructor(
    url: string,
    { commandTimeout, ...options }: Omit<RedisOptions, "replyMapping">,
    { name, silenceMaxMs }: LivenessOptions,
  ) {
    super(url, options);
    this.#name = name;
    this.#silenceMaxMs = silenceMaxMs;
    this.#commandMs = commandTimeout;
    this.on("connect", () => this.stream.on("data", () => this.#recordReply()));
    this.on("ready", () => reportConnection(name, this, false));
    this.on("close", () => {
      this.#endSilence();
      reportConnection(name, this, this.#pingTimer !== undefined);
    });
    this.on("error", (error: NodeJS.ErrnoException) => {
      // A server that refuses the connection is down, whatever happened when its connection fell silent.
      if (error.syscall === "connect") this.#isStarved = false;
    });
    this.#pingTimer = setInterval(() => {
      if (this.isResponsive && performance.now() - this.#repliedAt >= pingEveryMs / 2) {
        bestEffort("redis_ping", this.ping());
      }
    }, pingEveryMs);
  }

  /**
   * Whether the connection is open: it is closed when the server falls silent. Not by the age of the last
   * reply: in a process that was blocked, the newest one has not been read yet.
   */
  get isResponsive(): boolean {
    // The status of ioredis stays "ready" while the socket closes.
    return this.status === "ready" && this.stream.writable;
  }

  /**
   * True while there is no connection because it was silent when this process had too little CPU: the server
   * is not known to be at fault.
   */
  get isStarved(): boolean {
    return this.#isStarved;
  }

  override disconnect(reconnect = false): void {
    // Not at the event `end`: it is not emitted while the server is unreachable.
    if (!reconnect) {
      clearInterval(this.#pingTimer);
      this.#pingTimer = undefined;
      this.#endSilence();
      reportConnection(this.#name, this, false);
    }
    super.disconnect(reconnect);
  }

  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    const { onCommandEnd } = this;
    // Without a connection it fails at once, which says nothing about how long Redis takes.
    if (onCommandEnd !== undefined && this.isResponsive) {
      const sentAt = performance.now();
      const end = (error?: Error) => onCommandEnd(command.name, performance.now() - sentAt, error);
      command.promise.then(() => end(), end);
    }
    if (isAway.has(this.status)) {
      // The message of ioredis names its own options.
      command.reject(new Error(`${this.#name}: there is no connection`));
      return command.promise;
    }
    if (this.#commandMs !== undefined) endAfter(command, this.#commandMs);
    const own = this.stream;
    // What is sent in one turn of the event loop leaves in one write.
    if (this.isResponsive && own.writableCorked === 0) {
      own.cork();
      setImmediate(() => own.uncork());
    }
    const sent = super.sendCommand(command, stream);
    if (this.#silence === undefined && this["commandQueue"].length > 0) this.#beginSilence();
    return sent;
  }

  #recordReply(): void {
    this.#repliedAt = performance.now();
    if (this.status === "ready") this.#isStarved = false;
    this.#endSilence();
    if (this["commandQueue"].length > 0) this.#beginSilence();
  }

  #beginSilence(): void {
    const silence = new HangTimeout(this.#silenceMaxMs, () => {
      const { sent, queued } = this.#writesBefore;
      if (queued > 0 && this.#writes.sent > sent) this.#beginSilence();
      else this.closeSilent(silence);
    });
    this.#silence = silence;
    this.#writesBefore = this.#writes;
    // A pipeline is written at the end of this turn; what the kernel takes of it at once shows nothing.
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

  #endSilence(): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = undefined;
  }

  /** Closes the connection, and opens it again, because no reply has come for so long. */
  protected closeSilent(silence: Stopwatch): void {
    this.#isStarved = silence.isStarved;
    this.#endSilence();
    reportSilence(this.#name, this.#isStarved);
    // Not `disconnect`, which would wait until what is queued was sent.
    this.stream.destroy(new Error(`the Redis server was silent for ${this.#silenceMaxMs} ms`));
  }
}

/** States of ioredis in which nothing is sent. */
const isAway = new Set(["close", "reconnecting", "connecting"]);

function endAfter(command: Command, commandMs: number): void {
  // The words of ioredis, by which callers recognise it.
  const timeout = new HangTimeout(commandMs, () => command.reject(new Error("Command timed out")));
  const end = () => timeout[Symbol.dispose]();
  command.promise.then(end, end);
}

export type LivenessOptions = {
  /** Name of the connection in the log. */
  name: string;
  /** How long it may be silent while a reply is due. */
  silenceMaxMs: number;
};

type WriteCounters = { bytesWritten: number; writeQueueSize: number };
