import { once } from "node:events";
import type { Worker } from "node:worker_threads";

/**
 * Returns the first message of a thread. Throws what the thread throws, and `fault` if it exits without a
 * message: otherwise, its reader would wait forever.
 */
export async function firstMessage(thread: Worker, fault: string): Promise<unknown> {
  const exited = once(thread, "exit").then(() => Promise.reject(new Error(fault)));
  const [message] = (await Promise.race([once(thread, "message"), exited])) as [unknown];
  return message;
}
