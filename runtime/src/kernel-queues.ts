import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

/**
 * Returns the bytes that the kernel keeps of each TCP socket of this process' network until the other side
 * has taken them, by inode. Empty if the system does not report them: only Linux does.
 * unread-responses.test.ts covers it.
 */
export async function kernelQueues(): Promise<ReadonlyMap<number | undefined, number>> {
  const queues = new Map<number | undefined, number>();
  for (const table of ["/proc/self/net/tcp", "/proc/self/net/tcp6"]) {
    const text = await readFile(table, "latin1").catch(() => "");
    for (const [, queue, inode] of text.matchAll(socketLine))
      queues.set(Number(inode), Number.parseInt(queue!, 16));
  }
  return queues;
}

/** Undefined: it is closed. */
export function inodeOf(socket: Socket): number | undefined {
  const { fd = -1 } = (socket as unknown as { _handle?: { fd?: number } | null })._handle ?? {};
  try {
    return fd < 0 ? undefined : fstatSync(fd).ino;
  } catch {
    return undefined;
  }
}

/** Bytes to send and received, a timer, retransmissions, user, timeout, inode: proc_net_tcp in Linux. */
const socketLine = / (?!0{8})([0-9A-F]{8}):[0-9A-F]{8} \S+ \S+ +\d+ +\d+ +(\d+) /g;
