import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Makes a server listen on a free port of loopback until the end of the test. */
export async function listen(t: TestContext, server: Server | TlsServer): Promise<LocalServer> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Sets variables of the environment until the end of the test. */
export function setEnvironment(t: TestContext, values: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name];
    const set = (text: string | undefined): void => {
      if (text === undefined) delete process.env[name];
      else process.env[name] = text;
    };
    set(value);
    t.after(() => set(before));
  }
}

/** `host` has the port too. */
type LocalServer = { host: string; close: () => Promise<void> };
