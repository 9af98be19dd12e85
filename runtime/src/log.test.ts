import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

/**
 * Runs `code` with a `log` of its own process, and returns the lines of its standard output. Those of the end
 * of a process may come in another order.
 */
function linesOf(code: string): Line[] {
  const modules = ["log.ts", "node-warnings.ts"].map((name) =>
    JSON.stringify(join(import.meta.dirname, name)),
  );
  const program = `
    import { EventEmitter } from "node:events";
    import { openLog } from ${modules[0]};
    import { logNodeWarnings } from ${modules[1]};
    using log = openLog("test", "info", { testId: "test-1" });
    ${code}
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("a line has its level as text, its service with the version, and the ids of the process", () => {
  const [line] = linesOf('log.warn({ lane: "Dlib/ssd" }, "a lane");');
  const { time, version, ...fields } = line!;
  assert.match(`${time} ${version}`, /^\d{4}-\d\d-\d\dT[\d:.]+Z \d+\.\d+\.\d+/);
  const expected = {
    level: "warn",
    service: "faceline-test",
    testId: "test-1",
    lane: "Dlib/ssd",
    msg: "a lane",
  };
  assert.deepEqual(fields, expected);
});

test("whoever logs, a line with a reason or without fields is written once, and its repetitions are counted", () => {
  const lines = linesOf(`
    for (let i = 0; i < 1_000; i++) log.error({ reason: "away", request_id: "r" + i }, "a task failed");
    for (let i = 0; i < 5; i++) log.warn("old server");
    for (const lane of ["a", "b"]) log.info({ lane }, "loaded a lane");
  `);
  assert.deepEqual(
    lines.map(({ level, msg, repeated, lane = 1 }) => `${level} ${msg} ${repeated ?? lane}`).toSorted(),
    [
      "error a task failed (repeated) 999",
      "error a task failed 1",
      "info loaded a lane a",
      "info loaded a lane b",
      "warn old server (repeated) 4",
      "warn old server 1",
    ],
  );
});

test("what was counted is written before the process is killed for a fatal error", () => {
  const lines = linesOf(`
    for (let i = 0; i < 3; i++) log.warn({ reason: "away" }, "a call was refused");
    log.fatal({ reason: "gone" }, "cannot continue");
    process.kill(process.pid, "SIGKILL");
  `);
  const written = new Set(lines.map(({ level, repeated = 0 }) => `${level} ${repeated}`));
  // A thread of Node writes the first line, and may not have done so when the process is killed.
  assert.ok(written.has("warn 2") && written.has("fatal 0"), [...written].join());
});

test("each kind of warning of Node is one line of the log, and no text", () => {
  const lines = linesOf(`
    logNodeWarnings(log);
    for (let each = 0; each < 3; each++) {
      const emitter = new EventEmitter();
      for (let i = 0; i < 20; i++) emitter.on("connect", () => {});
    }
    process.emitWarning("is old", "DeprecationWarning", "DEP1");
    process.emitWarning("is older", "DeprecationWarning", "DEP2");
    await new Promise(setImmediate);
  `);
  assert.deepEqual(lines.map(({ level, reason }) => `${level} ${reason}`).toSorted(), [
    "warn DEP1",
    "warn DEP2",
    "warn MaxListenersExceededWarning",
  ]);
  const leak = lines.find(({ reason }) => reason === "MaxListenersExceededWarning");
  assert.match(leak!.warning!, /11 connect listeners/);
});

type Line = {
  level: string;
  time: string;
  version: string;
  msg: string;
  reason?: string;
  repeated?: number;
  lane?: string;
  warning?: string;
};
