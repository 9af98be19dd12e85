import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections whose client does not read: less than 10 KiB of the bytes that wait for it have left in
 * 10 s. No timer of Node covers that, and each such connection would hold its responses, and megabytes in
 * the kernel, for ever. What the kernel takes counts as read; for the last megabytes of a response, which
 * wait there, keepAliveTimeout is the bound. Calls `onClosed` for each.
 */
export function closeUnreadConnections(server: Server, onClosed: () => void = () => {}): void {
  const open = new Map<Socket, UnreadState>();
  server.on("connection", (socket) => {
    open.set(socket, undefined);
    socket.once("close", () => open.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, state] of open) {
      const next = nextUnreadState(state, writesOf(socket));
      if (next !== "stalled") {
        if (next !== state) open.set(socket, next);
        continue;
      }
      open.delete(socket);
      onClosed();
      // A plain close would leave the unread bytes in the kernel until it gives up, minutes later.
      socket.resetAndDestroy();
    }
  }, checkEveryMs).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Returns the state after one more check of a connection, each a second after the one before: undefined while
 * nothing waits. Counts checks, not time, so that a process that stood still blames nobody.
 */
export function nextUnreadState(
  state: UnreadState,
  { waitingBytes, readBytes }: Writes,
): UnreadState | "stalled" {
  if (waitingBytes === 0) return undefined;
  if (state === undefined || readBytes - state.readBytes >= leastBytes) return { readBytes, checks: 0 };
  const checks = state.checks + 1;
  return checks >= checksMax ? "stalled" : { ...state, checks };
}

/** Bytes that the kernel has taken, and that wait for it. */
function writesOf(socket: Socket): Writes {
  const { _handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  if (!_handle) return { waitingBytes: 0, readBytes: 0 };
  return {
    waitingBytes: socket.writableLength,
    readBytes: _handle.bytesWritten - _handle.writeQueueSize,
  };
}

const checkEveryMs = 1_000;
const checksMax = 10;
/** Slower than any connection on which pictures can be sent. */
const leastBytes = 10 * 1024;

/** Since when too little has left. Undefined: nothing waits. */
export type UnreadState = { readBytes: number; checks: number } | undefined;
type Writes = { waitingBytes: number; readBytes: number };
