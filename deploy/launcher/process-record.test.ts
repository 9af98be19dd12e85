import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { identify } from "./process-identity.ts";
import { ProcessRecord } from "./process-record.ts";

test("what a killed launcher left running is ended by the next one", async (t) => {
  const { file, said, say, idle } = stage(t);
  const broker = await idle();
  leave(file, { pid: 1, identity: "another boot" }, [{ name: "kafka", pid: broker.pid! }]);

  using _record = await ProcessRecord.begin(file, say);
  assert.equal(identify(broker.pid!), undefined);
  assert.deepEqual(said, [`ending kafka (process ${broker.pid}), left over from a launcher that was killed`]);
});

test("a process that was given an old number is somebody else's, and lives", async (t) => {
  const { file, said, say, idle } = stage(t);
  const stranger = await idle();
  leave(file, { pid: 1, identity: "another boot" }, [
    { name: "kafka", pid: stranger.pid!, identity: "another boot" },
  ]);

  using _record = await ProcessRecord.begin(file, say);
  assert.ok(identify(stranger.pid!) !== undefined);
  assert.deepEqual(said, []);
});

test("a launcher that still runs keeps its processes, and a second one is refused", async (t) => {
  const { file, say, idle } = stage(t);
  const launcher = await idle();
  const broker = await idle();
  leave(file, { pid: launcher.pid! }, [{ name: "kafka", pid: broker.pid! }]);

  await assert.rejects(ProcessRecord.begin(file, say), /Faceline already runs from this state folder/);
  assert.ok(identify(broker.pid!) !== undefined);
});

test("a record holds what runs, and goes when all has stopped", async (t) => {
  const { file, say, idle } = stage(t);
  const [first, second] = [await idle(), await idle()];
  const record = await ProcessRecord.begin(file, say);
  record.started("kafka", first.pid!);
  record.started("redis-durable", second.pid!);
  record.ended(first.pid!);

  const { running } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(running, [{ name: "redis-durable", pid: second.pid, identity: identify(second.pid!) }]);
  record[Symbol.dispose]();
  assert.ok(!existsSync(file));
});

test("a damaged record is as none", async (t) => {
  const { file, say } = stage(t);
  writeFileSync(file, '{"launcher":');
  using _record = await ProcessRecord.begin(file, say);
});

function stage(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "faceline-record-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const said: string[] = [];
  return {
    file: join(folder, "processes.json"),
    said,
    say: (line: string) => void said.push(line),
    /** A process that does nothing. */
    async idle(): Promise<ChildProcess> {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      t.after(() => child.kill("SIGKILL"));
      await once(child, "spawn");
      return child;
    },
  };
}

/** Writes the record as a launcher would have; without an identity, that of the process that has the number now. */
function leave(file: string, launcher: Left, running: (Left & { name: string })[]): void {
  const whole = (left: Left) => ({ name: "launcher", identity: identify(left.pid) ?? "", ...left });
  writeFileSync(file, JSON.stringify({ launcher: whole(launcher), running: running.map(whole) }));
}

type Left = { pid: number; identity?: string };
