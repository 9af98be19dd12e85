import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "@faceline/deploy/testing/wait-until";

// The servers of this run of tests. A file that stops one runs alone, so no other test needs it meanwhile.

export type ServerName = "kafka" | "redis-volatile" | "redis-durable";

/** The pid of a server; undefined while it does not run. */
export function pidOfServer(name: ServerName): number | undefined {
  const record = readFileSync(join(process.env["FACELINE_TEST_RUN"]!, "processes.json"), "utf8");
  const { running } = JSON.parse(record) as { running: { name: string; pid: number }[] };
  return running.find((each) => each.name === name)?.pid;
}

/** Kills a server, and waits until the test run has started it again. */
export async function killServer(name: ServerName): Promise<void> {
  const pid = pidOfServer(name)!;
  process.kill(pid, "SIGKILL");
  await waitUntil(`${name} runs again`, () => ![undefined, pid].includes(pidOfServer(name)));
}

/**
 * Whether SIGSTOP has reached all threads of a process. On a busy machine that takes up to a tenth of a
 * second, in which a broker still accepts messages. True on systems without /proc.
 */
export function hasStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) =>
    /^State:\s+T/m.test(readFileSync(join(threads, thread, "status"), "latin1")),
  );
}
