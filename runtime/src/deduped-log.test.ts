import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Log } from "./log.ts";
import { type LogFields, DedupedLog } from "./deduped-log.ts";

test("the first line is written at once, and its repetitions as one line with their number", (t) => {
  const { lines, log } = openLines(t);
  for (let i = 0; i < 5_000; i++)
    log.warn({ reason: "Kafka is away", request_id: `r${i}` }, "a call was refused");
  assert.deepEqual(lines.splice(0), ["a call was refused: Kafka is away, r0"]);
  t.mock.timers.tick(10_000);
  const ids = Array.from({ length: 20 }, (_, i) => `r${i + 1}`).join(", ");
  assert.deepEqual(lines.splice(0), [`a call was refused (repeated): Kafka is away, ${ids}, 4999 times`]);
});

test("repeated lines about batches name the first batches and calls", (t) => {
  const { lines, log } = openLines(t);
  for (const batch of ["b/1", "b/2"]) {
    log.warn({ reason: "lost", batch_id: batch, request_ids: [`of ${batch}`] }, "a batch was lost");
  }
  t.mock.timers.tick(10_000);
  assert.deepEqual(lines.slice(1), ["a batch was lost (repeated): lost, of b/2, b/2, 1 times"]);
});

test("repeated lines say how many each team has, the loudest first, of at most 20 teams", (t) => {
  const { lines, log, teams } = openLines(t);
  for (let i = 0; i <= 60; i++) {
    log.warn({ reason: "full", team: i % 2 === 0 ? "ants" : `team-${i}` }, "a call was refused");
  }
  log.warn({ reason: "full" }, "a call was refused");
  t.mock.timers.tick(10_000);
  assert.deepEqual(lines.slice(1), ["a call was refused (repeated): full, 61 times"]);
  const [first, second, ...more] = teams();
  assert.deepEqual(
    [first, second, more.length],
    [{ team: "ants", repeated: 30 }, { team: "team-1", repeated: 1 }, 18],
  );
});

test("after an interval without repetitions, the next line is written at once again", (t) => {
  const { lines, log } = openLines(t);
  log.warn({ reason: "Kafka is away" }, "a call was refused");
  t.mock.timers.tick(10_000);
  log.warn({ reason: "Kafka is away" }, "a call was refused");
  assert.equal(lines.length, 2);
});

test("lines with other reasons or sentences are not mixed", (t) => {
  const { lines, log } = openLines(t);
  log.warn({ reason: "late" }, "a call was refused");
  log.warn({ reason: "full" }, "a call was refused");
  log.error({ reason: "full" }, "a task failed");
  assert.deepEqual(lines, ["a call was refused: late", "a call was refused: full", "a task failed: full"]);
});

test("beyond 100 kinds of lines, further ones are counted together", (t) => {
  const { lines, log } = openLines(t);
  for (let i = 0; i < 1_000; i++) log.warn({ reason: `reason ${i}` }, "a call was refused");
  assert.equal(lines.splice(0).length, 100);
  log[Symbol.dispose]();
  assert.deepEqual(lines, ["lines of many reasons (repeated): others, 900 times"]);
});

function openLines(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const lines: string[] = [];
  let teams: unknown[] = [];
  const write = (fields: WrittenFields, sentence: string) => {
    teams = fields.teams ?? [];
    const { reason, request_id, request_ids = [], batch_ids = [], repeated } = fields;
    const count = repeated === undefined ? [] : [`${repeated} times`];
    lines.push(
      `${sentence}: ${[reason, request_id, ...request_ids, ...batch_ids, ...count].filter((each) => each !== undefined).join(", ")}`,
    );
  };
  const log = new DedupedLog({ info: write, warn: write, error: write } as unknown as Log);
  t.after(() => log[Symbol.dispose]());
  return { lines, log, teams: () => teams };
}

type WrittenFields = LogFields & { repeated?: number; batch_ids?: string[]; teams?: unknown[] };
