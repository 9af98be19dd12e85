import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
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

/** Answers a GET as a file server does: whole, or from where a download was cut off. */
export function serveFile(
  file: Uint8Array,
  { request, response, etag = '"1"' }: Exchange & { etag?: string | undefined },
): void {
  response.setHeader("etag", etag);
  const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  if (start === undefined || request.headers["if-range"] !== etag) {
    response.setHeader("content-length", file.length).end(file);
    return;
  }
  response.writeHead(206, { "content-range": `bytes ${start}-${file.length - 1}/${file.length}` });
  response.end(file.subarray(Number(start)));
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

type Exchange = { request: IncomingMessage; response: ServerResponse };
/** `host` has the port too. */
type LocalServer = { host: string; close: () => Promise<void> };
