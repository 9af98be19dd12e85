import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { marker } from "./call.ts";

/**
 * A caller that announces a body and hangs up before it is there. Resolves when the connection is closed on both sides.
 * What it had announced must not count any more then, or a few hundred of them would fill the service for everybody.
 */
export async function hangUp(
  { address, key }: Server,
  { announcedBytes, sentBytes, slowly }: HangUp,
): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.resume();
  socket.write(headOf(key, announcedBytes));
  const body = Buffer.alloc(sentBytes, `{"unread":"${marker}","img1":"`);
  if (slowly) {
    for (let at = 0; at < body.length; at += body.length / 8) {
      socket.write(body.subarray(at, at + body.length / 8));
      await sleep(25);
    }
  } else socket.write(body);
  const closed = once(socket, "close");
  // Not a polite end: the connection is reset.
  socket.resetAndDestroy();
  await closed;
}

const headOf = (key: string, bytes: number): string =>
  [
    "POST /verify HTTP/1.1",
    "host: faceline",
    `x-api-key: ${key}`,
    "content-type: application/json",
    `content-length: ${bytes}`,
    "\r\n",
  ].join("\r\n");

type Server = { address: string; key: string };
type HangUp = { announcedBytes: number; sentBytes: number; slowly: boolean };
