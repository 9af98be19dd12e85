// Covers foreground.ts, stop-requests.ts and bootstrap.mjs too: what each of them does when its starter dies.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { waitUntil } from "../testing/wait-until.ts";
import { groupWithLifeline } from "./lifeline.ts";
import { repository } from "./state-folder.ts";

const runsLong = "setInterval(() => {}, 1000); console.log(process.pid);";
const ignoresSigterm = `process.on("SIGTERM", () => {}); ${runsLong}`;
/** A service with an IPC channel, which does not look whether it is closed. */
const service = `process.send({ kind: "ready" }); ${runsLong}`;

const startChild = (script: string, ready: string) => `
  import { Child } from ${module("deploy/launcher/child.ts")};
  const program = { name: "p", command: process.execPath, args: ["-e", ${JSON.stringify(script)}], env: {}, ready: ${ready} };
  new Child(program, (line) => console.log(line));
`;

for (const [what, ready] of [
  ["a server", "async () => true"],
  ["a service with an IPC channel", '"message"'],
] as const) {
  test(`${what} is ended when its launcher is killed`, async (t) => {
    const script = ready === '"message"' ? service : runsLong;
    const { starter, pids } = await startAs(t, startChild(script, ready));
    starter.kill("SIGKILL");
    await waitUntil("it has ended", () => !pids.some(isRunning));
  });
}

test("a program that ignores SIGTERM is killed after its launcher", async (t) => {
  const shell = JSON.stringify(`${groupWithLifeline({ killAfterS: 1 })}exec "$@"`);
  const { starter, pids } = await startAs(
    t,
    `import { spawn } from "node:child_process";
     const args = ["-c", ${shell}, "sh", process.execPath, "-e", ${JSON.stringify(ignoresSigterm)}];
     spawn("/bin/sh", args, { detached: true, stdio: ["ignore", "inherit", "inherit", "pipe"] });`,
  );
  starter.kill("SIGKILL");
  await waitUntil("it has ended", () => !pids.some(isRunning));
});

test("a test runner is ended when the command that runs it is killed", async (t) => {
  const { starter, pids } = await startAs(
    t,
    `import { runInForeground } from ${module("deploy/launcher/foreground.ts")};
     await runInForeground(process.execPath, ["-e", ${JSON.stringify(runsLong)}], {});`,
  );
  starter.kill("SIGKILL");
  await waitUntil("it has ended", () => !pids.some(isRunning));
});

test("a command and what it runs stop when npm is killed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "lifeline-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const command = join(folder, "command.mts");
  writeFileSync(
    command,
    `import { runInForeground } from ${module("deploy/launcher/foreground.ts")};
     import { runCommand } from ${module("deploy/launcher/run-command.ts")};
     console.log(process.pid);
     await runCommand("usage", async ({ stop }) => {
       await runInForeground(process.execPath, ["-e", ${JSON.stringify(runsLong)}], { stop });
     });`,
  );
  const bootstrap = JSON.stringify([join(repository, "deploy/bootstrap.mjs"), command]);
  const npm = `import { spawn } from "node:child_process";
    const env = { ...process.env, npm_lifecycle_event: "start" };
    spawn(process.execPath, ${bootstrap}, { stdio: "inherit", env });`;
  const { starter, pids } = await startAs(t, npm, 2);
  starter.kill("SIGKILL");
  await waitUntil("both have ended", () => !pids.some(isRunning));
});

test("the watcher of a program ends with the program", async (t) => {
  const { starter } = await startAs(
    t,
    `import { runInForeground } from ${module("deploy/launcher/foreground.ts")};
     console.log(process.pid);
     await runInForeground("true", [], {});`,
  );
  // With a watcher that still runs, or an open pipe, this process would not end.
  const [code] = await once(starter, "exit");
  assert.equal(code, 0);
});

/** Runs `code` in a process of its own, and returns the first `count` pids that it prints. */
async function startAs(
  t: TestContext,
  code: string,
  count = 1,
): Promise<{ starter: ChildProcess; pids: number[] }> {
  const starter = spawn(process.execPath, ["--input-type=module", "-e", code], {
    cwd: repository,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pids: number[] = [];
  t.after(() => {
    for (const pid of [starter.pid!, ...pids]) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  for await (const line of createInterface({ input: starter.stdout })) {
    if (/^\d+$/.test(line)) pids.push(Number(line));
    if (pids.length === count) break;
  }
  assert.equal(pids.length, count);
  return { starter, pids };
}

const module = (file: string): string => JSON.stringify(join(repository, file));

/** A process that has ended may stay in the table until its parent reads how: ps shows it with a Z. */
function isRunning(pid: number): boolean {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
    return !state.startsWith("Z");
  } catch {
    return false;
  }
}
