import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { closeWhenRead } from "@faceline/runtime/unread-responses";
import { pendingResponses } from "./pending-responses.ts";

/**
 * Closes connections only when the client has had time to read the response ("lingering close", RFC 9112
 * 9.6). Closing a socket with unread bytes resets the connection, and a client that is still sending its body
 * then loses the response that says why it was refused. Node does that after each response with `Connection:
 * close`, which includes every response to an HTTP/1.0 client.
 */
export function closeLingering(server: Server, bodyBytesMax: number): void {
  const bytesMax = Math.max(2 * bodyBytesMax, discardedBytesMin);
  server.on("connection", (socket) => {
    const { destroySoon } = socket;
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      const isRead = [...pendingResponses(socket)].every(isOver);
      if (isRead) destroySoon.call(socket);
      else lingerThenClose(socket, bytesMax);
    };
  });
}

/**
 * Ends our side of a connection, and closes it when the client has closed its own, has sent everything it
 * announced, sends more than `bytesMax`, sends nothing, or takes too long. Whoever reads its requests
 * continues; bytes that belong to no request are discarded.
 */
export function lingerThenClose(socket: Socket, bytesMax = discardedBytesMin): void {
  const unread = [...pendingResponses(socket)].filter((response) => !isOver(response));
  const bytesBefore = socket.bytesRead;
  let [bytes, checks, idleChecks] = [bytesBefore, 0, 0];
  const timer = setInterval(() => {
    checks++;
    idleChecks = socket.bytesRead > bytes ? 0 : idleChecks + 1;
    bytes = socket.bytesRead;
    const isLate = checks >= checksMax || idleChecks >= idleChecksMax;
    const isRead = unread.length > 0 && unread.every(({ req }) => req.complete) && socket.writableFinished;
    if (bytes - bytesBefore > bytesMax) socket.destroy();
    else if (isLate || isRead) {
      clearInterval(timer);
      closeWhenRead(socket);
    }
  }, checkEveryMs).unref();
  socket.once("close", () => clearInterval(timer));
  socket.once("end", () => {
    if (socket.writableFinished) closeWhenRead(socket);
    else socket.once("finish", () => closeWhenRead(socket));
  });
  socket.end();
  socket.resume();
}

const isOver = ({ writableFinished, req }: ServerResponse): boolean => writableFinished && req.complete;

/** A client that sends less than this can read its refusal, whatever the limit for bodies is. */
const discardedBytesMin = 64 * 1024 * 1024;

const checkEveryMs = 500;
/** Limits of nginx: 30 s in all, and 5 s in which nothing arrives. */
const checksMax = 60;
const idleChecksMax = 10;
