import { channel } from "node:diagnostics_channel";
import type { Log } from "./log.ts";
import { HangTimeout } from "./starvation.ts";

/** A connection that is reopened within this time is not an outage: networks drop idle ones. */
const outageAfterMs = 1_000;

/** Every connection reports to it, because none of them has a log of its own. */
const changes = channel("faceline.connection");

/** Reports that a connection was lost, or is open again or given up. `name`: its server, and a purpose. */
export function reportConnection(name: string, connection: object, isLost: boolean): void {
  changes.publish({ server: name.split(",")[0]!, connection, isLost } satisfies Change);
}

/**
 * Logs each outage of a server, until it is disposed of: one error once a connection was lost for
 * `outageAfterMs`, and one line when all connections are open again. A process that could not run meanwhile
 * blames no server: see HangTimeout.
 */
export function logOutages(log: Pick<Log, "error" | "info">): Disposable {
  const outages = new Map<string, Outage>();

  function begin(server: string): Outage {
    const since = new Date();
    const timeout = new HangTimeout(outageAfterMs, () => {
      outage.isLogged = true;
      const sentence = "a server is unreachable, and requests that need it are refused: look at it";
      log.error({ server, since }, sentence);
    });
    const outage: Outage = { since, lost: new Set(), isLogged: false, timeout };
    outages.set(server, outage);
    return outage;
  }

  const handle = (change: unknown): void => {
    const { server, connection, isLost } = change as Change;
    if (isLost) return void (outages.get(server) ?? begin(server)).lost.add(connection);
    const outage = outages.get(server);
    if (!outage?.lost.delete(connection) || outage.lost.size > 0) return;
    outage.timeout[Symbol.dispose]();
    outages.delete(server);
    const { since, isLogged } = outage;
    if (isLogged)
      log.info({ server, since, afterMs: Date.now() - since.getTime() }, "a server is reachable again");
  };
  changes.subscribe(handle);
  return {
    [Symbol.dispose]: () => {
      changes.unsubscribe(handle);
      for (const { timeout } of outages.values()) timeout[Symbol.dispose]();
    },
  };
}

type Change = { server: string; connection: object; isLost: boolean };
type Outage = { since: Date; lost: Set<object>; isLogged: boolean; timeout: HangTimeout };
