import assert from "node:assert/strict";
import test from "node:test";
import type { Log } from "@faceline/runtime/log";
import { logWarmUp } from "./load-log.ts";

test("warm-ups are lines of the log on a GPU, and on a CPU where memory does not suffice", () => {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, text: string) =>
    void lines.push(`${level} ${JSON.stringify(fields)} ${text}`);
  const log = { debug: write("debug"), info: write("info"), warn: write("warn") } as unknown as Log;
  const warm = { network: "ssd", size: 64, times: { firstMs: 2_345.6, runMs: 12.34 } };
  logWarmUp(log, "cuda")(warm);
  logWarmUp(log, "cpu")(warm);
  logWarmUp(log, "cpu")({ ...warm, times: undefined });
  const fields = '{"network":"ssd","size":64,"firstMs":2346,"runMs":12.3}';
  assert.deepEqual(lines, [
    `info ${fields} warmed a network for runs of this size`,
    `debug ${fields} warmed a network for runs of this size`,
    'warn {"network":"ssd","size":64} memory does not suffice for runs of this size; ' +
      "larger batches take several runs",
  ]);
});
