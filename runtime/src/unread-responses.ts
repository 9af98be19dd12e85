import type { Server } from "node:http";
import type { Socket } from "node:net";
import { inodeOf, kernelQueues } from "./kernel-queues.ts";

/**
 * Bounds what clients leave unread, here and in the kernel, which takes megabytes for each connection and
 * keeps them after a plain close, too; no timer of Node covers that. Checks once a second, and resets
 *
 * - a connection of which less than 10 KiB were read in ten checks,
 * - where all together leave more than 128 MiB unread, those that have read nothing for longest, and of these
 *   the ones with most, until half of it is left,
 * - one whose client has ended its side with more than 4 KiB unread.
 *
 * Connections that Node would close after a response end by `lingerThenClose`. Calls `onClosed` for each of
 * the first two.
 */
export function closeUnreadConnections(server: Server, onClosed: () => void = () => {}): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    const connection: Connection = { inode: inodeOf(socket), readBytes: 0 };
    open.add(socket);
    connections.set(socket, connection);
    socket.once("close", () => open.delete(socket));
    socket.once("end", () => {
      if (unreadBytesOf(socket, connection) > closedBytesMax) socket.resetAndDestroy();
    });
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => lingerThenClose(socket);
  });
  const reset = (socket: Socket) => {
    open.delete(socket);
    onClosed();
    socket.resetAndDestroy();
  };
  const check = async () => {
    // Read before the kernel's queues: what is written meanwhile must not count as read.
    const written = Array.from(open, (socket) => ({
      socket,
      connection: connections.get(socket)!,
      ...writesOf(socket),
    }));
    if (!mayBeMuch(written)) return;
    const queues = await kernelQueues();
    const unread: UnreadConnection[] = [];
    for (const { socket, connection, sentBytes, waitingBytes } of written) {
      const inKernelBytes = queues.get(connection.inode) ?? 0;
      const bytes = inKernelBytes + waitingBytes;
      const { ending } = connection;
      connection.readBytes = sentBytes - inKernelBytes;
      connection.state = nextUnreadState(connection.state, { ...connection, waitingBytes: bytes });
      const checks = connection.state?.checks ?? 0;
      const mayStay = waitingBytes === 0 && bytes < unreadBytesMax && ending === undefined;
      if (checks >= checksMax && !mayStay) reset(socket);
      else if (bytes > 0) unread.push({ socket, bytes, checks });
      else if (ending !== undefined && isSilent(socket, ending)) socket.destroy();
    }
    for (const { socket } of excess(unread)) reset(socket);
  };
  let isChecking = false;
  const timer = setInterval(() => {
    // The kernel may take longer than a second to answer where many connections are open.
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, 1_000).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Ends our side of a connection, and lets the client read what was sent ("lingering close", RFC 9112 9.6). A
 * socket that is closed with unread bytes resets the connection, and a client that still sends its body then
 * loses the response that says why it was refused. The connection closes when the client ends its side, or
 * has read all and sends nothing for 5 s, or after 30 s. Whoever reads its requests goes on; bytes of no
 * request are discarded.
 */
export function lingerThenClose(socket: Socket): void {
  const connection = connections.get(socket);
  if (connection !== undefined) connection.ending ??= { receivedBytes: 0, checks: 0, idleChecks: 0 };
  socket.end();
  socket.resume();
}

function isSilent({ bytesRead }: Socket, ending: Ending): boolean {
  ending.checks++;
  ending.idleChecks = bytesRead > ending.receivedBytes ? 0 : ending.idleChecks + 1;
  ending.receivedBytes = bytesRead;
  return ending.idleChecks >= lingerIdleChecks || ending.checks >= lingerChecks;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Returns the state after one more check of a connection: undefined while nothing waits. Counts checks, not
 * time, so that a process that stood still blames nobody.
 */
export function nextUnreadState(state: UnreadState, { waitingBytes, readBytes }: Writes): UnreadState {
  if (waitingBytes === 0) return undefined;
  if (state === undefined || readBytes - state.readBytes >= leastBytes) return { readBytes, checks: 0 };
  return { ...state, checks: state.checks + 1 };
}

/** Returns those to close so that half of `sumBytesMax` is left, where there is more than that. */
export function excess<Unread extends { bytes: number; checks: number }>(unread: Unread[]): Unread[] {
  let sumBytes = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (sumBytes <= sumBytesMax) return [];
  const worstFirst = unread.toSorted((a, b) => b.checks - a.checks || b.bytes - a.bytes);
  const kept = worstFirst.findIndex(({ bytes }) => (sumBytes -= bytes) <= sumBytesMax / 2);
  return worstFirst.slice(0, kept + 1);
}

/**
 * Whether so much may be unread that the kernel is asked, which takes long where many connections are open.
 */
function mayBeMuch(written: (SocketWrites & { connection: Connection })[]): boolean {
  let sumBytes = 0;
  for (const { connection, sentBytes, waitingBytes } of written) {
    const bytes = sentBytes + waitingBytes - connection.readBytes;
    sumBytes += bytes;
    if (waitingBytes > 0 || bytes >= unreadBytesMax || connection.ending !== undefined) return true;
  }
  return sumBytes > sumBytesMax / 2;
}

function unreadBytesOf(socket: Socket, { readBytes }: Connection): number {
  const { sentBytes, waitingBytes } = writesOf(socket);
  return sentBytes + waitingBytes - readBytes;
}

/** Bytes that the kernel has taken, and that wait for it. */
function writesOf(socket: Socket): SocketWrites {
  const { _handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  if (!_handle) return { waitingBytes: 0, sentBytes: 0 };
  return { waitingBytes: socket.writableLength, sentBytes: _handle.bytesWritten - _handle.writeQueueSize };
}

const checksMax = 10;
/** Slower than any connection on which images can be sent. */
const leastBytes = 10 * 1024;
/** Less is on its way to clients that read. */
const unreadBytesMax = 64 * 1024;
/** What a closed connection may leave in the kernel, where nobody counts it. */
const closedBytesMax = 4 * 1024;
const sumBytesMax = 128 * 1024 * 1024;
/** Limits of nginx: 30 s in all, and 5 s in which nothing arrives. */
const lingerChecks = 30;
const lingerIdleChecks = 5;

/** Since when too little has left. Undefined: nothing waits. */
export type UnreadState = { readBytes: number; checks: number } | undefined;
type Connection = {
  inode: number | undefined;
  /** Bytes that have left, as of the last check. */
  readBytes: number;
  state?: UnreadState;
  /** Our side has ended. */
  ending?: Ending;
};
type Ending = { receivedBytes: number; checks: number; idleChecks: number };
type Writes = { waitingBytes: number; readBytes: number };
type SocketWrites = { waitingBytes: number; sentBytes: number };
type UnreadConnection = { socket: Socket; bytes: number; checks: number };
