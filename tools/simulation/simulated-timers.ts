// Used by rebalance-simulation.ts.
import type { EventQueue } from "./event-queue.ts";

/** Replaces the timers of this process by events of a simulation, until the result is disposed. */
export function simulateTimers(events: EventQueue): Disposable {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const cleared = new Set<number>();
  let count = 0;
  const start = (run: () => void, delayMs: number, repeats: boolean): number => {
    const timer = count++;
    const fire = () => {
      if (cleared.delete(timer)) return;
      if (repeats) events.after(delayMs, fire);
      run();
    };
    events.after(delayMs, fire);
    return timer;
  };
  const clear = (timer?: number): void => {
    if (timer !== undefined) cleared.add(timer);
  };
  Object.assign(globalThis, {
    setTimeout: (run: () => void, delayMs = 1) => start(run, Math.max(1, delayMs), false),
    setInterval: (run: () => void, delayMs: number) => start(run, delayMs, true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  return {
    [Symbol.dispose]: () =>
      void Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval }),
  };
}
