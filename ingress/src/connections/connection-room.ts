/**
 * Decides which connection is closed when there are too many. Holds no timer, socket or clock.
 *
 * - When CONNECTIONS_MAX are open, the one that has been without a request for longest makes room for a new
 *   one: connections that say nothing cost others nothing. Only if all of them have requests, the new one is
 *   closed.
 * - While more than half of them are open, one source may hold `ofSourceMax`. Of its own connections the one
 *   that has been without a request for longest then makes room. Below that there is room for everybody, and
 *   a load balancer or a benchmark may open as many as it likes.
 */
export class ConnectionRoom<Connection> {
  readonly #max: number;
  readonly #ofSourceMax: number;
  readonly #sources = new Map<string, Source<Connection>>();
  /** Source of each open connection. */
  readonly #sourceOf = new Map<Connection, string | undefined>();
  /** Those without a request; the one that has been so for longest comes first. */
  readonly #silent = new Set<Connection>();
  #isFull = false;

  constructor({
    connectionsMax,
    ofSourceMax = 500,
  }: { connectionsMax: number; ofSourceMax?: number | undefined }) {
    this.#max = connectionsMax;
    this.#ofSourceMax = ofSourceMax;
  }

  /** True from the moment that a connection had to make room until a tenth of them is free again. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Adds a new connection, and returns the one that is to be closed for it, which may be itself: it then no
   * longer counts. A connection without a source belongs to a proxy of ours and has no share.
   */
  open(connection: Connection, source: string | undefined): Closing<Connection> | undefined {
    this.#sourceOf.set(connection, source);
    this.#silent.add(connection);
    const own = this.#addToSource(connection, source);
    if (this.#sourceOf.size > this.#max) {
      this.#isFull = true;
      return this.#makeRoom(this.#silent, "connections_full");
    }
    const isCrowded = this.#sourceOf.size > this.#max / 2;
    if (own === undefined || !isCrowded || own.open <= this.#ofSourceMax) return undefined;
    return this.#makeRoom(own.silent, "address_share");
  }

  /** A request of this connection has come. Does nothing if it no longer counts. */
  setBusy(connection: Connection): void {
    this.#silent.delete(connection);
    this.#sourceOfOpen(connection)?.silent.delete(connection);
  }

  /** It has no request any more. */
  setSilent(connection: Connection): void {
    if (!this.#sourceOf.has(connection)) return;
    this.#silent.add(connection);
    this.#sourceOfOpen(connection)?.silent.add(connection);
  }

  /** It was closed. Does nothing if it no longer counts. */
  close(connection: Connection): void {
    const source = this.#sourceOf.get(connection);
    const own = this.#sourceOfOpen(connection);
    if (!this.#sourceOf.delete(connection)) return;
    this.#silent.delete(connection);
    if (this.#sourceOf.size <= this.#max * fullUntil) this.#isFull = false;
    if (own === undefined) return;
    own.silent.delete(connection);
    if (--own.open === 0) this.#sources.delete(source!);
  }

  #makeRoom(silent: Set<Connection>, reason: RoomReason): Closing<Connection> {
    // There is always one: the new connection has no request yet.
    const [connection] = silent as Set<Connection> & [Connection];
    this.close(connection);
    return { connection, reason };
  }

  #addToSource(connection: Connection, source: string | undefined): Source<Connection> | undefined {
    if (source === undefined) return undefined;
    const own = this.#sources.get(source) ?? { open: 0, silent: new Set() };
    this.#sources.set(source, own);
    own.open++;
    own.silent.add(connection);
    return own;
  }

  #sourceOfOpen(connection: Connection): Source<Connection> | undefined {
    const source = this.#sourceOf.get(connection);
    return source === undefined ? undefined : this.#sources.get(source);
  }
}

/** Part of the connections at which they are no longer full. */
const fullUntil = 0.9;

type Source<Connection> = { open: number; silent: Set<Connection> };
type RoomReason = "connections_full" | "address_share";
type Closing<Connection> = { connection: Connection; reason: RoomReason };
