import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { freePorts } from "../../launcher/ports.ts";

/**
 * Opens the receivers of OTLP that the telemetry parts send to: one that answers and keeps nothing, one that
 * accepts and never answers, and an address where nobody listens. Tested by receivers.test.ts.
 */
export async function openReceivers(): Promise<Receivers> {
  await using opened = new AsyncDisposableStack();
  let requests = 0;
  const present = createHttpServer((request, response) => {
    requests++;
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  const hanging = createServer((socket) => {
    // Ended by the client, or with the server.
    socket.on("error", () => {}).resume();
  });
  const addresses = { present: await listen(opened, present), hanging: await listen(opened, hanging) };
  const [unused] = await freePorts(1);
  const open = opened.move();
  return {
    addresses: { ...addresses, down: `http://127.0.0.1:${unused}` },
    requests: () => requests,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function listen(opened: AsyncDisposableStack, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
      }),
  );
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

export type Receivers = AsyncDisposable & {
  addresses: Record<"present" | "hanging" | "down", string>;
  /** How many requests the present one has answered. */
  requests(): number;
};
