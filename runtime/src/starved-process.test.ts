// Covers ReplyTimeout in a real process that is stopped, or that gets next to nothing of a core.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { type TestContext, test } from "node:test";

/** Long enough that a quarter of it exceeds one wait of a low-priority thread beside 20 busy processes. */
const limitMs = 3_000;
/** Priority that gets about a tenth of the CPU time of a process at priority 0. */
const lowPriority = 10;

/** The first core that this process may use, in whatever container. */
const core = /^Cpus_allowed_list:\s*(\d+)/m.exec(processStatus())?.[1] ?? "0";

test("a process that was stopped for longer than a timeout still gets the reply of that time", async (t) => {
  const child = start(
    t,
    `process.once("message", () => process.send("replied"));
     new ReplyTimeout(${limitMs}, () => process.send("timed out"));
     process.send("waits");`,
  );
  const messages = messagesOf(child);
  assert.equal(await messages.next(), "waits");
  child.kill("SIGSTOP");
  child.send("the reply");
  block(1.2 * limitMs);
  child.kill("SIGCONT");
  assert.equal(await messages.next(), "replied");
});

test("work on another thread that gets no core has four times as long, and work that hangs is given up", {
  skip: !existsSync("/proc/self/schedstat") && "this system does not tell how long threads wait",
}, async (t) => {
  // An eighth of the limit on a core, in a pool of threads like that of decoders; then work without an end.
  const child = start(
    t,
    `const work = (rounds, done) => pbkdf2("a", "b", rounds, 64, "sha512", done);
       const startedAt = process.hrtime.bigint();
       pbkdf2Sync("a", "b", 20_000, 64, "sha512");
       const nsPerRound = Number(process.hrtime.bigint() - startedAt) / 20_000;
       const rounds = Math.round(${limitMs / 8} * 1e6 / nsPerRound);
       process.on("message", (kind) => {
         const end = (how) => { timeout[Symbol.dispose](); process.send(how); };
         const late = ({ elapsedMs }) => end(elapsedMs >= ${3.9 * limitMs} ? "four times as late" : "timed out");
         const timeout = new ReplyTimeout(${limitMs}, late, coreWaits.allThreads);
         if (kind === "work") work(rounds, () => end("done"));
       });
       process.send("ready");`,
    ["taskset", "-c", core],
  );
  const messages = messagesOf(child);
  assert.equal(await messages.next(), "ready");
  for (const thread of readdirSync(`/proc/${child.pid}/task`)) setPriority(Number(thread), lowPriority);
  const hog = spawn("taskset", ["-c", core, process.execPath, "-e", "for (;;);"], { stdio: "ignore" });
  t.after(() => hog.kill("SIGKILL"));
  child.send("work");
  assert.match(String(await messages.next()), /^done$|^four times as late$/);
  child.send("nothing");
  assert.match(String(await messages.next()), /^timed out$|^four times as late$/);
});

/** A process that runs `program` after these imports, in the test's own session: the kernel shares by it. */
function start(t: TestContext, program: string, wrapper: string[] = []): ChildProcess {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const imports = `
    import { pbkdf2, pbkdf2Sync } from "node:crypto";
    import { coreWaits } from ${url("./core-waits.ts")};
    import { ReplyTimeout } from ${url("./reply-timeout.ts")};`;
  const [command, ...args] = [...wrapper, process.execPath, "--input-type=module", "-e", imports + program];
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** The kernel's description of this process; empty on systems without /proc. */
function processStatus(): string {
  return existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "latin1") : "";
}

function messagesOf(child: ChildProcess): { next(): Promise<unknown> } {
  const messages = on(child, "message");
  const ended = once(child, "exit").then(([code]) => `ended with code ${code}`);
  return {
    next: () => Promise.race([messages.next().then(({ value }) => (value as [unknown])[0]), ended]),
  };
}

function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}
