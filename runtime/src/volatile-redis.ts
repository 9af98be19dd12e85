import type { Command, Redis, RedisOptions } from "ioredis";
import type { Log } from "./log.ts";
import { type LivenessOptions, RedisWithLiveness } from "./redis-liveness.ts";
import { Stopwatch } from "./starvation.ts";

/**
 * Interval at which a server is checked again. A replica that attaches to it receives at most the images of
 * this time. Each process finds out on its own that the server must not be used, or may be used again; one
 * that is later than this would miss the messages of the others, and blame them.
 */
export const volatileCheckEveryMs = 1_000;

/**
 * Commands of the handshake of ioredis, of the check itself and of the probe. Only these are sent to
 * a server that was not accepted.
 */
const commandsBeforeAcceptance = new Set([
  "auth",
  "client",
  "cluster",
  "config",
  "hello",
  "info",
  "ping",
  "select",
]);

/**
 * A client of the server that holds images. Every new socket is checked before commands of callers are sent
 * over it, because after a reconnect the server may be a different one. While the check fails, commands are
 * rejected at once, as they are while the server is unreachable; once the server is corrected, they succeed.
 */
export class VolatileRedis extends RedisWithLiveness {
  /** Instant at which a refused server was accepted again, by `performance.now()`. */
  returnedAt = Number.NEGATIVE_INFINITY;
  readonly #check: CheckOptions;
  /** The socket whose server passed the check. */
  #accepted: Redis["stream"] | undefined;
  /** The socket on which a check is in progress. */
  #checking: Redis["stream"] | undefined;
  #reported = "";
  #memoryUse: MemoryUse | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(url: string, options: Omit<RedisOptions, "replyMapping">, check: CheckOptions) {
    super(url, options, check);
    this.#check = check;
  }

  /** Whether the connection is responsive and its server passed the check. */
  get usable(): boolean {
    return this.isResponsive && this.stream === this.#accepted;
  }

  /** False while it is not usable and the server is to blame: for health and readiness. */
  get healthy(): boolean {
    return this.usable || this.isStarved;
  }

  /** Memory of the server as of the last check; undefined if the server did not report it. */
  get memoryUse(): MemoryUse | undefined {
    return this.#memoryUse;
  }

  override disconnect(reconnect = false): void {
    // Not at the event `end`: it is not emitted while the server is unreachable.
    if (!reconnect) clearInterval(this.#timer);
    super.disconnect(reconnect);
  }

  override sendCommand(command: Command, stream?: Parameters<Redis["sendCommand"]>[1]): unknown {
    if (this.stream === this.#accepted || commandsBeforeAcceptance.has(command.name)) {
      return super.sendCommand(command, stream);
    }
    command.reject(new Error("the volatile Redis was not accepted yet, or is refused"));
    return command.promise;
  }

  /**
   * Checks the server in one round trip. Returns what must be corrected before it may hold images; an empty
   * list accepts the server. Throws when the server does not reply.
   */
  async check(): Promise<string[]> {
    const { stream } = this;
    const [info, save] = await Promise.all([
      undefinedIfRefused(this.info()),
      undefinedIfRefused(this.config("GET", "save").then((pair) => pair[1])),
    ]);
    this.#memoryUse = info === undefined ? undefined : memoryUseOf(info);
    const isCluster = info?.includes("cluster_enabled:1") === true;
    const cluster = isCluster ? await undefinedIfRefused(this.cluster("INFO")) : "";
    const kind = kindFault(info ?? "", `${cluster}`);
    const faults = kind === undefined ? faultsOf(info, save, this.#check.configUnreadable) : [kind];
    // Replies of a socket that closed in the meantime do not apply to the next socket.
    if (stream === this.stream) this.#accepted = faults.length === 0 ? stream : undefined;
    return faults;
  }

  /** Starts to check every new socket before it is used, and the server in use every `everyMs`. */
  keepChecking(): void {
    const { everyMs, whileInUse, configUnreadable, log } = this.#check;
    if (configUnreadable === "accept") {
      log?.warn("REDIS_VOLATILE_CONFIG_UNREADABLE=accept: where CONFIG is refused, nobody checks `save`");
    }
    this.on("ready", () => void this.#checkAgain());
    this.#timer = setInterval(() => {
      if (this.isResponsive && (whileInUse || !this.usable)) void this.#checkAgain();
    }, everyMs);
  }

  /** One check at a time. */
  async #checkAgain(): Promise<void> {
    const { stream } = this;
    if (stream === this.#checking) return;
    this.#checking = stream;
    const checking = new Stopwatch();
    try {
      this.#report((await this.check()).join("; "));
    } catch {
      // A server that does not reply is not accepted: reconnect, and check the new socket before it is used.
      if (this.isResponsive && this.stream === stream) this.closeSilent(checking);
    } finally {
      if (this.#checking === stream) this.#checking = undefined;
    }
  }

  #report(reason: string): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    if (reason === "") {
      this.returnedAt = performance.now();
      this.#check.log?.warn("the volatile Redis is in use again");
    } else this.#check.log?.error({ reason }, "the volatile Redis may not hold images and is not used");
  }
}

/**
 * Returns undefined when the server refuses the command. Throws when there is no reply, or a temporary error
 * such as BUSY.
 */
async function undefinedIfRefused<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (/^(NOPERM|ERR) /.test((error as Error).message)) return undefined;
    throw error;
  }
}

/**
 * Returns what must be corrected before a server may hold images, one clause each; empty: nothing. `info` is
 * the reply to INFO, and `save` the setting of that name, because INFO does not say whether snapshots are
 * scheduled. Each is undefined when the server refuses the command.
 */
export function faultsOf(
  info: string | undefined,
  save: string | undefined,
  configUnreadable: CheckOptions["configUnreadable"],
): string[] {
  if (info === undefined) return ["allow INFO, without it nobody can tell whether it writes images to disk"];
  const fields = fieldsOf(info);
  const wroteSnapshot =
    fields.get("rdb_bgsave_in_progress") !== "0" || fields.get("rdb_last_bgsave_time_sec") !== "-1";
  const faults: string[] = [];
  if (save === undefined && configUnreadable === "refuse") {
    faults.push(
      "it refuses CONFIG GET, so nobody can tell whether it writes snapshots: allow that command, " +
        "or turn snapshots and backups off and set REDIS_VOLATILE_CONFIG_UNREADABLE=accept",
    );
  }
  if (save === undefined && configUnreadable === "accept" && wroteSnapshot) {
    faults.push("it has written a snapshot since it started: turn snapshots and backups off, and restart it");
  }
  if (save !== undefined && save !== "") faults.push('set `save ""`, it writes snapshots of images to disk');
  if (fields.get("aof_enabled") !== "0") faults.push("set `appendonly no`, it writes images to disk");
  if (fields.get("role") !== "master" || fields.get("connected_slaves") !== "0") {
    faults.push(
      "it must not replicate, because a full resync writes images to disk; run it without replicas, and not as one",
    );
  }
  if (fields.get("maxmemory_policy") !== "noeviction") faults.push("set `maxmemory-policy noeviction`");
  if (!(Number(fields.get("maxmemory")) > 0)) faults.push("set `maxmemory`, its memory is unbounded");
  return faults;
}

/**
 * Returns what to correct if a server does not hold all keys, by its replies to INFO and, where a Cluster of
 * one server will do, to CLUSTER INFO.
 */
export function kindFault(info: string, cluster = ""): string | undefined {
  if (/^(redis|server)_mode:sentinel/m.test(info))
    return "this is a Sentinel: write the address of its master";
  const isAlone = cluster.includes("slots_assigned:16384\r") && cluster.includes("known_nodes:1\r");
  if (!/^cluster_enabled:1/m.test(info) || isAlone) return undefined;
  return "this is a Redis Cluster, whose servers have some of the keys each: write the address of a single server";
}

function memoryUseOf(info: string): MemoryUse {
  const fields = fieldsOf(info);
  return { usedBytes: Number(fields.get("used_memory")), maxBytes: Number(fields.get("maxmemory")) };
}

const fieldsOf = (info: string): Map<string, string | undefined> =>
  new Map(info.split("\r\n").map((line) => line.split(":", 2) as [name: string, value: string | undefined]));

export type MemoryUse = { usedBytes: number; maxBytes: number };

export type CheckOptions = LivenessOptions & {
  /** Whether a server that refuses CONFIG is accepted: REDIS_VOLATILE_CONFIG_UNREADABLE. */
  configUnreadable: "refuse" | "accept";
  /** Interval of the checks in ms. */
  everyMs: number;
  /** False: an accepted server is checked again only after a reconnect. */
  whileInUse: boolean;
  log: Pick<Log, "warn" | "error"> | undefined;
};
