import assert from "node:assert/strict";
import { test } from "node:test";
import { logOutages, reportConnection } from "./server-outages.ts";

test("an outage of many connections leaves one error, and one line when all of them are open again", async () => {
  const lines: string[] = [];
  const line = Promise.withResolvers<void>();
  const write = (level: string) => (fields: object, sentence: string) => {
    lines.push(`${level} ${(fields as { server: string }).server}: ${sentence}`);
    line.resolve();
  };
  using _log = logOutages({ error: write("error"), info: write("info") } as never);
  const [one, other, brief] = [{}, {}, {}];
  reportConnection("REDIS_DURABLE_URL", brief, true);
  reportConnection("REDIS_DURABLE_URL", brief, false);
  for (const each of [one, other]) reportConnection("REDIS_VOLATILE_URL", each, true);
  await line.promise;
  reportConnection("REDIS_VOLATILE_URL", one, false);
  assert.equal(lines.length, 1);
  reportConnection("REDIS_VOLATILE_URL", other, false);
  reportConnection("REDIS_VOLATILE_URL", other, false);
  assert.deepEqual(lines, [
    "error REDIS_VOLATILE_URL: a server is unreachable, and requests that need it are refused: look at it",
    "info REDIS_VOLATILE_URL: a server is reachable again",
  ]);
});
