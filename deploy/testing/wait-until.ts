import { setTimeout as sleep } from "node:timers/promises";

const pollEveryMs = 25;
const giveUpAfterMs = 120_000;

/**
 * Polls `holds` until it returns true. Throws with `condition` after two minutes, much longer than a healthy
 * system needs: a busy machine fails no test.
 */
export async function waitUntil(condition: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`${condition}: not within ${giveUpAfterMs} ms`);
    await sleep(pollEveryMs);
  }
}
