import type { Server } from "node:http";
import type { Socket } from "node:net";
import { inodeOf, kernelQueues } from "./kernel-queues.ts";

/**
 * Bounds what clients leave unread, here and in the kernel, which takes megabytes for each connection and
 * keeps them after a plain close, too; no timer of Node covers that. Closes a connection of which less than
 * 10 KiB were read in ten checks, a second apart. Where all together leave more than 128 MiB unread, those
 * are closed that have read nothing for longest, and of these the ones with most. Calls `onClosed` for each.
 */
export function closeUnreadConnections(server: Server, onClosed: () => void = () => {}): void {
  const open = new Map<Socket, Reading>();
  let soon: NodeJS.Timeout | undefined;
  let checkTookMs = 1;
  const checkSoon = () => {
    soon ??= setTimeout(
      () => {
        soon = undefined;
        void check({ isDue: false });
      },
      Math.min(checkEveryMs, pausePerCheck * checkTookMs),
    ).unref();
  };
  server.on("connection", (socket) => {
    const reading: Reading = { inode: inodeOf(socket), readBytes: 0, whenRead: [], checkSoon };
    open.set(socket, reading);
    readings.set(socket, reading);
    socket.once("close", () => {
      open.delete(socket);
      resolveAll(reading);
    });
    const { destroySoon } = socket;
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      if (unreadBytesOf(socket, reading) < closedBytesMax) destroySoon.call(socket);
      else closeWhenRead(socket);
    };
  });
  const close = (socket: Socket) => {
    if (!open.delete(socket)) return;
    onClosed();
    // A plain close would leave the unread bytes in the kernel.
    socket.resetAndDestroy();
  };
  let isChecking = false;
  const check = async (which: { isDue: boolean }) => {
    // The kernel may take longer than a second to answer where many connections are open.
    if (isChecking) return;
    isChecking = true;
    await checkNow(which).finally(() => (isChecking = false));
  };
  const checkNow = async ({ isDue }: { isDue: boolean }) => {
    const startedAt = performance.now();
    // Read before the kernel's queues: what is written meanwhile must not count as read.
    const written = [...open]
      .map(([socket, reading]) => ({ socket, reading, ...writesOf(socket) }))
      .filter(({ reading, sentBytes, waitingBytes }) => sentBytes + waitingBytes > reading.readBytes);
    if (!mayBeMuch(written)) return;
    const queues = await kernelQueues();
    const unread: UnreadConnection[] = [];
    for (const { socket, reading, sentBytes, waitingBytes } of written) {
      const inKernelBytes = queues.get(reading.inode) ?? 0;
      const bytes = inKernelBytes + waitingBytes;
      reading.readBytes = sentBytes - inKernelBytes;
      if (reading.isEnding && bytes === 0) socket.destroy();
      if (isDue)
        reading.state = nextUnreadState(reading.state, { waitingBytes: bytes, readBytes: reading.readBytes });
      const isStalled = reading.state !== undefined && reading.state.checks >= checksMax;
      if (isStalled && (waitingBytes > 0 || bytes >= unreadBytesMax)) close(socket);
      else if (bytes > 0) unread.push({ socket, bytes, checks: reading.state?.checks ?? 0 });
      if (bytes < unreadBytesMax) resolveAll(reading);
      else if (reading.whenRead.length > 0) checkSoon();
    }
    for (const { socket } of excess(unread)) close(socket);
    checkTookMs = performance.now() - startedAt;
  };
  const timer = setInterval(() => void check({ isDue: true }), checkEveryMs).unref();
  server.once("close", () => clearInterval(timer));
}

/**
 * Returns a promise while a client has, perhaps, 64 KiB of its responses not read; it resolves when it has.
 */
export function whenRead(socket: Socket): Promise<void> | undefined {
  const reading = readings.get(socket);
  if (reading === undefined || unreadBytesOf(socket, reading) < unreadBytesMax) return undefined;
  reading.checkSoon();
  return new Promise((resolve) => reading.whenRead.push(resolve));
}

/**
 * Ends our side of a connection, and closes it when what was sent is read: the kernel would keep the unread
 * bytes of a closed one for as long as its client likes. At once if these are few.
 */
export function closeWhenRead(socket: Socket): void {
  const reading = readings.get(socket);
  if (reading === undefined || unreadBytesOf(socket, reading) < closedBytesMax) return void socket.destroy();
  reading.isEnding = true;
  // Clients close their side after the last response; but one that has does not need to have read it.
  if (socket.readableEnded) reading.checkSoon();
  else socket.once("end", reading.checkSoon);
  socket.end();
  socket.resume();
}

const readings = new WeakMap<Socket, Reading>();

/**
 * Returns the state after one more check of a connection: undefined while nothing waits. Counts checks, not
 * time, so that a process that was stopped blames nobody.
 */
export function nextUnreadState(state: UnreadState, { waitingBytes, readBytes }: Writes): UnreadState {
  if (waitingBytes === 0) return undefined;
  if (state === undefined || readBytes - state.readBytes >= leastBytes) return { readBytes, checks: 0 };
  return { ...state, checks: state.checks + 1 };
}

/** Returns the connections to close so that half of `sumBytesMax` is left, if there is more than that. */
export function excess<Unread extends { bytes: number; checks: number }>(unread: Unread[]): Unread[] {
  let sumBytes = unread.reduce((sum, { bytes }) => sum + bytes, 0);
  if (sumBytes <= sumBytesMax) return [];
  const worstFirst = unread.toSorted((a, b) => b.checks - a.checks || b.bytes - a.bytes);
  const kept = worstFirst.findIndex(({ bytes }) => (sumBytes -= bytes) <= sumBytesMax / 2);
  return worstFirst.slice(0, kept + 1);
}

/** Whether enough may be unread to query the kernel, which takes long if many connections are open. */
function mayBeMuch(written: (SocketWrites & { reading: Reading })[]): boolean {
  let sumBytes = 0;
  for (const { reading, sentBytes, waitingBytes } of written) {
    const bytes = sentBytes + waitingBytes - reading.readBytes;
    sumBytes += bytes;
    if (waitingBytes > 0 || bytes >= unreadBytesMax || reading.isEnding) return true;
  }
  return sumBytes > sumBytesMax / 2;
}

function unreadBytesOf(socket: Socket, { readBytes }: Reading): number {
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

function resolveAll(reading: Reading): void {
  for (const resolve of reading.whenRead.splice(0)) resolve();
}

const checkEveryMs = 1_000;
const checksMax = 10;
/** Lower than on any connection over which images can be sent. */
const leastBytes = 10 * 1024;
/** Checks that are not due take at most 1 / this of the time: the kernel lists all its sockets. */
const pausePerCheck = 20;
/** Less than this is on its way to clients that read. */
const unreadBytesMax = 64 * 1024;
/** What a closed connection may leave in the kernel, which nobody counts. */
const closedBytesMax = 4 * 1024;
const sumBytesMax = 128 * 1024 * 1024;

/** Since when too little has been read. Undefined: nothing waits. */
export type UnreadState = { readBytes: number; checks: number } | undefined;
type Reading = {
  inode: number | undefined;
  /** Bytes that have left, as of the last check. */
  readBytes: number;
  state?: UnreadState;
  /** Our side has ended, and the connection is closed when what was sent is read. */
  isEnding?: boolean;
  whenRead: (() => void)[];
  checkSoon(): void;
};
type Writes = { waitingBytes: number; readBytes: number };
type SocketWrites = { waitingBytes: number; sentBytes: number };
type UnreadConnection = { socket: Socket; bytes: number; checks: number };
