import assert from "node:assert/strict";
import test from "node:test";
import { openSharedClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { connectVolatileRedis, VolatileRedisConfig } from "./redis.ts";

const config = readConfig(VolatileRedisConfig, process.env);

test("the shared clock follows the server, not the wall clock of the host, and never runs backwards", async (t) => {
  await using redis = await connectVolatileRedis(config);
  // The wall clock of this host is an hour ahead and must not affect the shared clock.
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 });
  await using clock = await openSharedClock(redis);
  const before = clock.now();
  const [seconds, micros] = await redis.time();
  const server = Number(seconds) * 1_000 + Number(micros) / 1_000;
  const after = clock.now();
  // The server read its clock between the two readings, each of which is off by half a round trip at most.
  const roundTripMs = 60_000;
  assert.ok(
    before - roundTripMs <= server && server <= after + roundTripMs,
    `${before} ≤ ${server} ≤ ${after}`,
  );
  let last = 0;
  for (let i = 0; i < 1_000; i++) {
    const now = clock.now();
    assert.ok(now >= last);
    last = now;
  }
});
