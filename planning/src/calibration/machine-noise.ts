import { cpus } from "node:os";

/** Begins to watch how many cores everything but this process uses. Returns a function that reads it. */
export function watchOtherWork(): () => number {
  const [startedAt, busyBefore, ownBefore] = [performance.now(), busyMs(), ownMs()];
  return () => {
    const others = busyMs() - busyBefore - (ownMs() - ownBefore);
    return Math.max(0, others) / Math.max(1, performance.now() - startedAt);
  };
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** In cores. Above it a machine is not quiet: other programs change run times by more than they vary. */
export const otherWorkMax = 0.1;
