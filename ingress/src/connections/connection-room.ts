import { networkOf } from "./address-group.ts";

/**
 * Decides which connection is closed when there are too many. Holds no timer, socket or clock. A connection
 * is busy while it has a request that is complete, or whose key was accepted; else it is idle, whatever it
 * sends.
 *
 * When CONNECTIONS_MAX are open, an idle connection makes room for a new one: the one that has been idle for
 * longest in the network that has most of them. So floods cost above all those who flood. Only where all are
 * busy a new one is refused.
 */
export class ConnectionRoom<Connection> {
  readonly #max: number;
  readonly #places = new Map<Connection, Place<Connection>>();
  readonly #networks = new Map<string | undefined, Network<Connection>>();
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
   * not count. A connection without an address is one of a trusted proxy, and makes room after all others.
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
    const name = address && networkOf(address);
    const network = this.#networks.get(name) ?? { name, open: 0, idle: new Set<Connection>() };
    this.#networks.set(name, network);
    network.open++;
    network.idle.add(connection);
    this.#places.set(connection, { network, isBusy: false });
    return closing;
  }

  /** Does nothing if the connection no longer counts, as all that follow. */
  close(connection: Connection): void {
    this.setBusy(connection, false);
    const place = this.#places.get(connection);
    if (place === undefined) return;
    this.#places.delete(connection);
    place.network.idle.delete(connection);
    if (--place.network.open === 0) this.#networks.delete(place.network.name);
  }

  setBusy(connection: Connection, isBusy: boolean): void {
    const place = this.#places.get(connection);
    if (place === undefined || place.isBusy === isBusy) return;
    place.isBusy = isBusy;
    this.#busy += isBusy ? 1 : -1;
    if (isBusy) place.network.idle.delete(connection);
    else place.network.idle.add(connection);
    if (this.#busy <= this.#max * (1 - freePart)) this.#isFull = false;
  }

  #leastNeeded(): Connection | undefined {
    let most = this.#networks.get(undefined);
    for (const network of this.#networks.values()) {
      const isHeavier = most === undefined || most.name === undefined || network.idle.size > most.idle.size;
      if (network.name !== undefined && network.idle.size > 0 && isHeavier) most = network;
    }
    return most?.idle.values().next().value;
  }
}

/** Part of the places that must not be busy before the room counts as not full again. */
const freePart = 0.1;

type Place<Connection> = { network: Network<Connection>; isBusy: boolean };
/** `name`: undefined for the trusted proxies. `idle`: the longest idle first. */
type Network<Connection> = { name: string | undefined; open: number; idle: Set<Connection> };
