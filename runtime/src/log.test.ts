import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

/** Runs `code` with a `log` of its own process, and returns the lines of its standard output. */
function linesOf(code: string): Record<string, unknown>[] {
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
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a line has its level as text, its service with the version, and the ids of the process", () => {
  const [line] = linesOf('log.warn({ lane: "Dlib/ssd" }, "a lane");');
  const { time, version, ...fields } = line!;
  assert.match(`${String(time)} ${String(version)}`, /^\d{4}-\d\d-\d\dT[\d:.]+Z \d+\.\d+\.\d+/);
  const expected = {
    level: "warn",
    service: "faceline-test",
    testId: "test-1",
    lane: "Dlib/ssd",
    msg: "a lane",
  };
  assert.deepEqual(fields, expected);
});

test("whoever logs, a line with a reason is written once, and its repetitions are counted", () => {
  const lines = linesOf(`
    for (let i = 0; i < 1_000; i++) log.error({ reason: "away", request_id: "r" + i }, "a task failed");
    for (const lane of ["a", "b"]) log.info({ lane }, "loaded a lane");
  `);
  assert.deepEqual(
    lines.map(({ level, msg, repeated, lane }) => [level, msg, repeated ?? lane]),
    [
      ["error", "a task failed", undefined],
      ["info", "loaded a lane", "a"],
      ["info", "loaded a lane", "b"],
      ["error", "a task failed (repeated)", 999],
    ],
  );
});

test("what was counted comes before the line with which the process ends", () => {
  const lines = linesOf(`
    for (let i = 0; i < 3; i++) log.warn({ reason: "away" }, "a call was refused");
    log.fatal({ reason: "gone" }, "cannot go on");
  `);
  assert.deepEqual(
    lines.map(({ level, repeated }) => [level, repeated]),
    [
      ["warn", undefined],
      ["warn", 2],
      ["fatal", undefined],
    ],
  );
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
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [
      ["warn", "MaxListenersExceededWarning"],
      ["warn", "DEP1"],
      ["warn", "DEP2"],
    ],
  );
  assert.match(String(lines[0]!["warning"]), /11 connect listeners/);
});
