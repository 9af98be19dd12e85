import type { Server } from "node:http";
import type { Socket } from "node:net";
import { inodeOf, kernelQueues } from "./kernel-queues.ts";

/**
 * Closes connections whose client does not read: less than 10 KiB of the bytes that wait for it have left in
 * 10 s, or in 30 s of those that wait in the kernel. No timer of Node covers that, and each such connection
 * would hold its responses, and megabytes in the kernel, for ever: a small request now and then would keep it
 * open, and the kernel keeps what is unread after a plain close, too. Calls `onClosed` for each.
 */
export function closeUnreadConnections(server: Server, onClosed: () => void = () => {}): void {
  const open = new Map<Socket, UnreadStates>();
  let soon: NodeJS.Timeout | undefined;
  const checkSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      void checkKernel({ isDue: false });
    }, endCheckMs).unref();
  };
  server.on("connection", (socket) => {
    const states: UnreadStates = { checkSoon };
    open.set(socket, states);
    statesOf.set(socket, states);
    socket.once("close", () => open.delete(socket));
    const { destroySoon } = socket;
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (socket.bytesWritten < kernelBytesMin) destroySoon.call(socket);
      else closeWhenRead(socket);
    };
  });
  const close = (socket: Socket) => {
    if (!open.delete(socket)) return;
    onClosed();
    // A plain close would leave the unread bytes in the kernel.
    socket.resetAndDestroy();
  };
  const checkKernel = async ({ isDue }: { isDue: boolean }) => {
    // Read before the kernel's queues: what is written meanwhile must not count as read.
    const written = [...open.keys()].map((socket) => ({ socket, ...writesOf(socket) }));
    if (written.every(({ readBytes }) => readBytes < kernelBytesMin)) return;
    const queues = await kernelQueues(kernelBytesMin);
    for (const { socket, readBytes } of written) {
      const states = open.get(socket);
      if (states === undefined) continue;
      const waitingBytes = queues.size === 0 ? 0 : (queues.get(inodeOf(socket) ?? 0) ?? 0);
      if (states.isEnding && waitingBytes === 0 && socket.writableFinished) socket.destroy();
      if (!isDue) continue;
      const writes = { waitingBytes, readBytes: readBytes - waitingBytes };
      const next = nextUnreadState(states.inKernel, writes, kernelChecksMax);
      if (next === "stalled") close(socket);
      else states.inKernel = next;
    }
  };
  let checks = 0;
  const timer = setInterval(() => {
    for (const [socket, states] of open) {
      const next = nextUnreadState(states.here, writesOf(socket));
      if (next === "stalled") close(socket);
      else states.here = next;
    }
    if (++checks % checksMax === 0) void checkKernel({ isDue: true });
  }, checkEveryMs).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Ends our side of a connection, and closes it when what was sent is read: the kernel would keep the unread
 * bytes of a closed one for as long as its client likes. At once where these are few.
 */
export function closeWhenRead(socket: Socket): void {
  const states = statesOf.get(socket);
  if (states === undefined || socket.bytesWritten < kernelBytesMin) return void socket.destroy();
  states.isEnding = true;
  // Clients close their side after the last response; but one that has does not need to have read it.
  if (socket.readableEnded) states.checkSoon();
  else socket.once("end", states.checkSoon);
  socket.end();
  socket.resume();
}

const statesOf = new WeakMap<Socket, UnreadStates>();

/**
 * Returns the state after one more check of a connection, each a second after the one before (ten for the
 * kernel): undefined while nothing waits. Counts checks, not time, so that a process that stood still blames
 * nobody.
 */
export function nextUnreadState(
  state: UnreadState,
  { waitingBytes, readBytes }: Writes,
  max = checksMax,
): UnreadState | "stalled" {
  if (waitingBytes === 0) return undefined;
  if (state === undefined || readBytes - state.readBytes >= leastBytes) return { readBytes, checks: 0 };
  const checks = state.checks + 1;
  return checks >= max ? "stalled" : { ...state, checks };
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
const kernelChecksMax = 3;
/** Connections that end within this time are looked at together. */
const endCheckMs = 200;
/** Less is on its way to clients that read. */
const kernelBytesMin = 64 * 1024;

/** Since when too little has left. Undefined: nothing waits. */
export type UnreadState = { readBytes: number; checks: number } | undefined;
type UnreadStates = {
  here?: UnreadState;
  inKernel?: UnreadState;
  /** Our side has ended, and the connection is closed when what was sent is read. */
  isEnding?: boolean;
  checkSoon(): void;
};
type Writes = { waitingBytes: number; readBytes: number };
