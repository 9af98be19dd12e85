import assert from "node:assert/strict";
import test from "node:test";
import { openSharedClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("the shared clock is the server's, whatever the wall clock of this host says, and never runs backwards", async (t) => {
  await using redis = await connectVolatileRedis(config);
  // A host whose wall clock is an hour ahead: nothing of the shared clock may come from it.
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 });
  await using clock = await openSharedClock(redis);
  const before = clock.now();
  const [seconds, micros] = await redis.time();
  const server = Number(seconds) * 1_000 + Number(micros) / 1_000;
  const after = clock.now();
  // The server read its clock between our two readings; half of a round trip is what they may be wrong by.
  assert.ok(before - 5 <= server && server <= after + 5, `${before} ≤ ${server} ≤ ${after}`);
  let last = 0;
  for (let i = 0; i < 1_000; i++) {
    const now = clock.now();
    assert.ok(now >= last);
    last = now;
  }
});
