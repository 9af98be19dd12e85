import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { marker } from "./hostile-call.ts";

/**
 * Announces a body and disconnects before it is complete. Resolves when the connection is closed on both
 * sides. The announced bytes must not count any longer then, or a few hundred such clients would block the
 * service for everybody.
 */
export async function disconnectEarly(
  { address, key }: Server,
  { announcedBytes, sentBytes, slowly }: Disconnect,
): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.resume();
  socket.write(requestHead(key, announcedBytes));
  const body = Buffer.alloc(sentBytes, `{"unread":"${marker}","img1":"`);
  if (slowly) {
    for (let at = 0; at < body.length; at += body.length / 8) {
      socket.write(body.subarray(at, at + body.length / 8));
      await sleep(25);
    }
  } else socket.write(body);
  const closed = once(socket, "close");
  // RST instead of FIN.
  socket.resetAndDestroy();
  await closed;
}

const requestHead = (key: string, bytes: number): string =>
  [
    "POST /verify HTTP/1.1",
    "host: faceline",
    `x-api-key: ${key}`,
    "content-type: application/json",
    `content-length: ${bytes}`,
    "\r\n",
  ].join("\r\n");

type Server = { address: string; key: string };
type Disconnect = { announcedBytes: number; sentBytes: number; slowly: boolean };
