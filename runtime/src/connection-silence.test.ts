import assert from "node:assert/strict";
import test from "node:test";
import { logSilence, reportSilence } from "./connection-silence.ts";

test("a connection that is closed for its silence is named in the log, with how long and what was missing", () => {
  const lines: unknown[] = [];
  const log = logSilence({ warn: (fields, sentence) => void lines.push([fields, sentence]) });
  reportSilence("REDIS_VOLATILE_URL, images", { elapsedMs: 4_200.6, unableMs: 3_100.2 });
  log[Symbol.dispose]();
  reportSilence("REDIS_VOLATILE_URL, images", { elapsedMs: 1_000, unableMs: 0 });
  assert.deepEqual(lines, [
    [
      { reason: "REDIS_VOLATILE_URL, images", silentMs: 4_201, withoutCoreMs: 3_100 },
      "a connection was silent and is closed; it is reopened",
    ],
  ]);
});
