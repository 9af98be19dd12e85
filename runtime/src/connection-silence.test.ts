import assert from "node:assert/strict";
import test from "node:test";
import { logSilence, reportSilence } from "./connection-silence.ts";

test("a connection that is closed for its silence is named in the log, with whether this process lacked a core", () => {
  const lines: unknown[] = [];
  const log = logSilence({ warn: (fields, sentence) => void lines.push([fields, sentence]) });
  reportSilence("REDIS_VOLATILE_URL, images", true);
  log[Symbol.dispose]();
  reportSilence("REDIS_VOLATILE_URL, images", false);
  assert.deepEqual(lines, [
    [
      { reason: "REDIS_VOLATILE_URL, images", isStarved: true },
      "a connection was silent and is closed; it is reopened",
    ],
  ]);
});
