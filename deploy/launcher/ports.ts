import { once } from "node:events";
import { createServer, type Server } from "node:net";

/**
 * Throws one sentence that names the setting when a port cannot be listened on, or two settings have one
 * port.
 */
export async function checkPorts(ports: PortSetting[]): Promise<void> {
  for (const { setting, host, port } of ports) {
    const server = await listen(host, port).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") {
        throw new Error(`Port ${port} is taken: stop what listens there, or set ${setting} to a free one.`);
      }
      if (error.code === "EACCES") {
        throw new Error(`Port ${port} cannot be used by this user: set ${setting} to one above 1023.`);
      }
      throw new Error(`${host}:${port} cannot be listened on (${error.code}): check HOST and ${setting}.`);
    });
    server.close();
    await once(server, "close");
  }
  for (const [i, { setting, port }] of ports.entries()) {
    const other = ports.slice(0, i).find((each) => each.port === port);
    if (other !== undefined) throw new Error(`${setting} and ${other.setting} are both ${port}.`);
  }
}

/** Returns different ports that nobody listens on. They are not reserved: use them at once. */
export async function freePorts(amount: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: amount }, () => listen("127.0.0.1", 0)));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(
    servers.map((server) => {
      server.close();
      return once(server, "close");
    }),
  );
  return ports;
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  return server;
}

export type PortSetting = { setting: string; host: string; port: number };
