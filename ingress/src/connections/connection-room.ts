import { networkOf } from "./address-group.ts";

/**
 * Decides which connection is closed when there are too many. Holds no timer, socket or clock. A connection
 * is
 *
 * - busy, while it has a request that is complete, or whose key was accepted;
 * - known, between two requests, if the key of the last one was accepted;
 * - else a stranger, whatever it sends.
 *
 * When CONNECTIONS_MAX are open, a stranger makes room for a new connection: the oldest one of the address
 * that has most of them, in the network that has most. So strangers cost only strangers, and above all those
 * who flood. While a tenth or less are strangers, the one that has been known and idle for longest makes room
 * instead. Only where all are busy a new one is refused.
 */
export class ConnectionRoom<Connection> {
  readonly #max: number;
  readonly #places = new Map<Connection, Place<Connection>>();
  readonly #sources = new Map<string | undefined, Source<Connection>>();
  readonly #networks = new Map<string | undefined, Network>();
  /** Longest idle first. */
  readonly #known = new Set<Connection>();
  #busy = 0;
  #isFull = false;

  constructor(connectionsMax: number) {
    this.#max = connectionsMax;
  }

  /** True from the moment that a new connection was refused until a tenth of all places is not busy. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Adds a new connection, and returns the one that is to be closed for it, which may be itself: it then does
   * not count. A connection without an address is one of a trusted proxy, and makes room after all strangers.
   */
  open(connection: Connection, address: string | undefined): Connection | undefined {
    let closing: Connection | undefined;
    if (this.#places.size >= this.#max) {
      closing = this.#leastNeeded();
      if (closing === undefined) {
        this.#isFull = true;
        return connection;
      }
      this.close(closing);
    }
    const place: Place<Connection> = { source: this.#sourceOf(address), phase: "stranger" };
    place.source.open++;
    place.source.network.open++;
    this.#places.set(connection, place);
    this.#count(connection, place, 1);
    return closing;
  }

  /** Does nothing if the connection no longer counts, as all that follow. */
  close(connection: Connection): void {
    const place = this.#places.get(connection);
    if (place === undefined) return;
    this.#count(connection, place, -1);
    this.#places.delete(connection);
    const { source } = place;
    if (--source.open === 0) this.#sources.delete(source.address);
    if (--source.network.open === 0) this.#networks.delete(source.network.name);
  }

  isKnown(connection: Connection): boolean {
    return this.#places.get(connection)?.phase === "known";
  }

  /** The headers of a request have come. */
  begin(connection: Connection): void {
    this.#move(connection, "stranger");
  }

  /** All of the request has come. */
  complete(connection: Connection): void {
    if (this.#places.get(connection)?.phase === "stranger") this.#move(connection, "complete");
  }

  /** The key of the request was accepted. */
  accept(connection: Connection): void {
    this.#move(connection, "accepted");
  }

  /** The request was answered. */
  end(connection: Connection): void {
    const phase = this.#places.get(connection)?.phase;
    if (phase === "accepted") this.#move(connection, "known");
    if (phase === "complete") this.#move(connection, "stranger");
  }

  #move(connection: Connection, phase: Phase): void {
    const place = this.#places.get(connection);
    if (place === undefined) return;
    this.#count(connection, place, -1);
    place.phase = phase;
    this.#count(connection, place, 1);
  }

  #count(connection: Connection, { phase, source }: Place<Connection>, change: 1 | -1): void {
    if (phase === "stranger") source.network.strangers += change;
    else if (phase !== "known") this.#busy += change;
    if (this.#busy <= this.#max * (1 - reservedPart)) this.#isFull = false;
    const idle = phase === "stranger" ? source.strangers : phase === "known" ? this.#known : undefined;
    if (change === 1) idle?.add(connection);
    else idle?.delete(connection);
  }

  #sourceOf(address: string | undefined): Source<Connection> {
    const existing = this.#sources.get(address);
    if (existing !== undefined) return existing;
    const name = address && networkOf(address);
    // Never the most.
    const strangers = address === undefined ? Number.NEGATIVE_INFINITY : 0;
    const network = this.#networks.get(name) ?? { name, open: 0, strangers };
    const source = { address, network, open: 0, strangers: new Set<Connection>() };
    this.#networks.set(name, network);
    this.#sources.set(address, source);
    return source;
  }

  #leastNeeded(): Connection | undefined {
    const strangers = this.#places.size - this.#busy - this.#known.size;
    const [known] = this.#known;
    if (known !== undefined && strangers <= this.#max * reservedPart) return known;
    let most: Source<Connection> | undefined;
    for (const source of this.#sources.values()) {
      if (source.strangers.size > 0 && (most === undefined || isHeavier(source, most))) most = source;
    }
    return most?.strangers.values().next().value;
  }
}

const isHeavier = (a: Source<unknown>, b: Source<unknown>): boolean =>
  a.network === b.network ? a.strangers.size > b.strangers.size : a.network.strangers > b.network.strangers;

/** Part of the places that those who show a key leave to others, of whom each may be about to show one. */
const reservedPart = 0.1;

type Phase = "stranger" | "complete" | "accepted" | "known";
type Place<Connection> = { source: Source<Connection>; phase: Phase };
/** `strangers`: the oldest first. */
type Source<Connection> = {
  address: string | undefined;
  network: Network;
  open: number;
  strangers: Set<Connection>;
};
type Network = { name: string | undefined; open: number; strangers: number };
