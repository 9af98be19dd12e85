import { setTimeout as sleep } from "node:timers/promises";

const askEveryMs = 25;
const giveUpAfterMs = 60_000;

/** Waits until something is so. Gives up with what it waited for, long after a healthy stack would have got there. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${giveUpAfterMs} ms in vain until ${what}`);
    await sleep(askEveryMs);
  }
}
