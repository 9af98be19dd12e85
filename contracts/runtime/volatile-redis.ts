import { type Command, Redis, type RedisOptions } from "ioredis";
import type { Log } from "./log.ts";

/**
 * How often a server in use is checked again. A replica that attaches gets the pictures of this long at most.
 */
export const volatileCheckEveryMs = 5_000;

/**
 * What the handshake of ioredis and the check itself send. Nothing else goes to a server that was not
 * accepted.
 */
const commandsBeforeAcceptance = new Set(["auth", "client", "config", "hello", "info", "select"]);

/**
 * A connection to the server of pictures. It sends no command of its users over a socket before the server at
 * the other end was checked, because after a reconnect that may be another server. While the check fails,
 * commands fail at once, as they do while the server is away; once the server is mended, they succeed again.
 */
export class VolatileRedis extends Redis {
  readonly #check: CheckOptions;
  /** The socket whose server was accepted. */
  #accepted: Redis["stream"] | undefined;
  /** The socket on which a check waits for its replies. */
  #checking: Redis["stream"] | undefined;
  #reported = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(url: string, options: Omit<RedisOptions, "replyMapping">, check: CheckOptions) {
    // A pipeline would hold back the check together with the commands that wait for it to pass.
    super(url, { ...options, autoPipeliningIgnoredCommands: ["config"] });
    this.#check = check;
  }

  /** Whether commands can be sent. */
  get usable(): boolean {
    return this.#open && this.stream === this.#accepted;
  }

  /** While a socket closes, ioredis still calls it ready. */
  get #open(): boolean {
    return this.status === "ready" && this.stream.writable;
  }

  override disconnect(reconnect = false): void {
    // Not at the event `end`: it does not come where the server is away.
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

  /** Asks the server, in one round trip. Returns what must be mended before it may hold pictures. */
  async check(): Promise<string[]> {
    const { stream } = this;
    const [info, save] = await Promise.all([
      unlessRefused(this.info()),
      unlessRefused(this.config("GET", "save").then((pair) => pair[1])),
    ]);
    const faults = faultsOf(info, save, this.#check.configUnreadable);
    // Replies of a socket that has closed meanwhile say nothing about the next one.
    if (stream === this.stream) this.#accepted = faults.length === 0 ? stream : undefined;
    return faults;
  }

  /** From now on checks every new socket before it is used, and the server in use at intervals. */
  keepChecking(): void {
    const { everyMs, whileInUse, configUnreadable, log } = this.#check;
    if (configUnreadable === "accept") {
      log?.warn("REDIS_VOLATILE_CONFIG_UNREADABLE=accept: where CONFIG is refused, nobody checks `save`");
    }
    this.on("ready", () => void this.#checkAgain());
    this.#timer = setInterval(() => {
      if (this.#open && (whileInUse || !this.usable)) void this.#checkAgain();
    }, everyMs);
  }

  async #checkAgain(): Promise<void> {
    const { stream } = this;
    if (stream === this.#checking) return;
    this.#checking = stream;
    try {
      this.#report((await this.check()).join("; "));
    } catch {
      // A server that does not answer is not accepted: a new socket is checked before it is used.
      if (this.#open && this.stream === stream) this.disconnect(true);
    } finally {
      if (this.#checking === stream) this.#checking = undefined;
    }
  }

  #report(reason: string): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    if (reason === "") this.#check.log?.warn("the volatile Redis is in use again");
    else this.#check.log?.error({ reason }, "the volatile Redis may not hold pictures and is not used");
  }
}

/**
 * Undefined: the server does not let us. Throws when no reply came, or one that will not stay, such as BUSY.
 */
async function unlessRefused<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (/^(NOPERM|ERR) /.test((error as Error).message)) return undefined;
    throw error;
  }
}

/**
 * What must be mended before a server may hold pictures, a sentence each. `info` is its INFO, `save` its
 * setting of that name; undefined where it does not tell. INFO says everything but whether snapshots are
 * scheduled.
 */
export function faultsOf(
  info: string | undefined,
  save: string | undefined,
  configUnreadable: CheckOptions["configUnreadable"],
): string[] {
  if (info === undefined)
    return ["allow INFO, without it nobody can tell whether it writes pictures to disk"];
  const facts = new Map(
    info.split("\r\n").map((line) => line.split(":", 2) as [name: string, value: string | undefined]),
  );
  const wrote = facts.get("rdb_bgsave_in_progress") !== "0" || facts.get("rdb_last_bgsave_time_sec") !== "-1";
  const faults: string[] = [];
  if (save === undefined && configUnreadable === "refuse") {
    faults.push(
      "it refuses CONFIG GET, so nobody can tell whether it writes snapshots: allow that command, " +
        "or turn snapshots and backups off and set REDIS_VOLATILE_CONFIG_UNREADABLE=accept",
    );
  }
  if (save === undefined && configUnreadable === "accept" && wrote) {
    faults.push("it has written a snapshot since it started: turn snapshots and backups off, and restart it");
  }
  if (save !== undefined && save !== "")
    faults.push('set `save ""`, it writes snapshots of pictures to disk');
  if (facts.get("aof_enabled") !== "0") faults.push("set `appendonly no`, it writes pictures to disk");
  if (facts.get("role") !== "master" || facts.get("connected_slaves") !== "0") {
    faults.push(
      "it must not replicate: a full resync writes pictures to a disk; run it without replicas, and not as one",
    );
  }
  if (facts.get("maxmemory_policy") !== "noeviction") faults.push("set `maxmemory-policy noeviction`");
  if (!(Number(facts.get("maxmemory")) > 0)) faults.push("set `maxmemory`, its memory has no bound");
  return faults;
}

export type CheckOptions = {
  /** What follows where the server refuses CONFIG: REDIS_VOLATILE_CONFIG_UNREADABLE. */
  configUnreadable: "refuse" | "accept";
  /** In ms. */
  everyMs: number;
  /** False: an accepted server is checked again only after a reconnect. */
  whileInUse: boolean;
  log: Pick<Log, "warn" | "error"> | undefined;
};
