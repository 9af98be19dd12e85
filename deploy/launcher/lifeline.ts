import type { ChildProcess } from "node:child_process";

/**
 * Shell code that runs a program, and ends it when the process that started it has ended, even by SIGKILL.
 * The starter holds the other end of a pipe, which the system closes with it:
 *
 *     the starter writes a line: the program has ended ──► the watcher ends
 *     the pipe closes without a line ──► the watcher runs `onLoss`
 *
 * The watcher closes what it does not need: an open output or IPC channel would look as if the program still
 * ran. `exec` keeps the pid, the signals and the IPC channel of the program.
 */
const withLifeline = (onLoss: string): string =>
  `{ trap '' TERM INT HUP; read -r _ <&3 || { ${onLoss}; }; } </dev/null >/dev/null 2>&1 4<&- & exec 3<&-; `;

/**
 * Shell code for a program that leads a process group: all of the group gets SIGTERM, and SIGKILL
 * `killAfterS` later. The watcher belongs to the group, so its number cannot be that of another group by
 * then.
 */
export const groupWithLifeline = ({ killAfterS }: { killAfterS: number }): string =>
  withLifeline(`kill -TERM 0; sleep ${killAfterS}; kill -KILL 0`);

/** Shell code for a program in the process group of its starter: it alone gets SIGTERM. */
export const programWithLifeline = withLifeline("kill -TERM $$");

/** The `stdio` of such a program. An IPC channel comes behind it. */
export const lifelineStdio = ["ignore", "pipe", "pipe", "pipe"] as const;

/** Ends a child's watcher when the child has ended. Call it once for each such child. */
export function releaseLifeline(child: ChildProcess): void {
  const pipe = child.stdio[3];
  if (pipe === undefined || pipe === null || !("end" in pipe)) return;
  // The watcher may have been ended too.
  pipe.on("error", () => {});
  child.once("exit", () => pipe.end("\n", () => pipe.destroy()));
}
