import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { identify, ProcessRecord, readStat } from "./process-record.ts";

test("processes left over from a killed launcher are ended by the next one", async (t) => {
  const { file, printed, print, idle } = setUp(t);
  const broker = await idle();
  writeRecord(file, { pid: 1, identity: "another boot" }, [{ name: "kafka", pid: broker.pid! }]);

  using _record = await ProcessRecord.begin(file, print);
  assert.equal(identify(broker.pid!), undefined);
  assert.deepEqual(printed, [
    `ending kafka (process ${broker.pid}), left over from a launcher that was killed`,
  ]);
});

test("a process that reuses a recorded pid is left alone", async (t) => {
  const { file, printed, print, idle } = setUp(t);
  const unrelated = await idle();
  writeRecord(file, { pid: 1, identity: "another boot" }, [
    { name: "kafka", pid: unrelated.pid!, identity: "another boot" },
  ]);

  using _record = await ProcessRecord.begin(file, print);
  assert.ok(identify(unrelated.pid!) !== undefined);
  assert.deepEqual(printed, []);
});

test("a second launcher is refused while the first one runs, and ends none of its processes", async (t) => {
  const { file, print, idle } = setUp(t);
  const launcher = await idle();
  const broker = await idle();
  writeRecord(file, { pid: launcher.pid! }, [{ name: "kafka", pid: broker.pid! }]);

  await assert.rejects(
    ProcessRecord.begin(file, print),
    /Faceline is already running from this state folder/,
  );
  assert.ok(identify(broker.pid!) !== undefined);
});

test("a record holds the running processes, and is removed when it is disposed", async (t) => {
  const { file, print, idle } = setUp(t);
  const [first, second] = [await idle(), await idle()];
  const record = await ProcessRecord.begin(file, print);
  record.started("kafka", first.pid!);
  record.started("redis-durable", second.pid!);
  record.ended(first.pid!);

  const { running } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(running, [{ name: "redis-durable", pid: second.pid, identity: identify(second.pid!) }]);
  record[Symbol.dispose]();
  assert.ok(!existsSync(file));
});

test("a damaged record is ignored", async (t) => {
  const { file, print } = setUp(t);
  writeFileSync(file, '{"launcher":');
  using _record = await ProcessRecord.begin(file, print);
});

test("the start time is found after the process name, whatever characters the name has", () => {
  const fields = Array.from({ length: 30 }, (_, i) => `${i}`).slice(3);
  assert.deepEqual(readStat(`1 (a) b (c)) S ${fields.join(" ")}`), { state: "S", startTicks: "21" });
});

test("a process keeps its identity, and has none after its end", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const identity = identify(child.pid!);
  assert.ok(identity !== undefined);
  assert.equal(identify(child.pid!), identity);
  assert.notEqual(identify(process.pid), identity);

  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(identify(child.pid!), undefined);
});

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "faceline-record-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const printed: string[] = [];
  return {
    file: join(folder, "processes.json"),
    printed,
    print: (line: string) => void printed.push(line),
    /** Starts a process that does nothing. */
    async idle(): Promise<ChildProcess> {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      t.after(() => child.kill("SIGKILL"));
      await once(child, "spawn");
      return child;
    },
  };
}

/**
 * Writes the record of an earlier launch. The default identity is that of the process that has the pid now.
 */
function writeRecord(
  file: string,
  launcher: RecordedEntry,
  running: (RecordedEntry & { name: string })[],
): void {
  const whole = (entry: RecordedEntry) => ({
    name: "launcher",
    identity: identify(entry.pid) ?? "",
    ...entry,
  });
  writeFileSync(file, JSON.stringify({ launcher: whole(launcher), running: running.map(whole) }));
}

type RecordedEntry = { pid: number; identity?: string };
