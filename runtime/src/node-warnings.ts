import type { Log } from "./log.ts";

/**
 * Logs the warnings of Node, as of a leak of listeners, as lines of the log: each name once, and each code of
 * a deprecation. Node itself would print text between the lines.
 */
export function logNodeWarnings(log: Pick<Log, "warn">): void {
  const logged = new Set<string>();
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message, stack, code = name }: Error & { code?: string }) => {
    if (logged.has(code)) return;
    logged.add(code);
    log.warn(
      { reason: code, warning: message, stack },
      "Node warning; further ones of this kind are suppressed",
    );
  });
}
