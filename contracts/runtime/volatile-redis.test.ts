import assert from "node:assert/strict";
import test from "node:test";
import { faultsOf } from "./volatile-redis.ts";

const mended = {
  role: "master",
  connected_slaves: "0",
  aof_enabled: "0",
  rdb_bgsave_in_progress: "0",
  rdb_last_bgsave_time_sec: "-1",
  maxmemory: "1073741824",
  maxmemory_policy: "noeviction",
};
const info = (facts: Partial<typeof mended> = {}) =>
  Object.entries({ ...mended, ...facts })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join("");

test("a server that only remembers is accepted", () => {
  assert.deepEqual(faultsOf(info(), "", "refuse"), []);
});

test("every way to a disk, to another server or out of the memory is a fault of its own", () => {
  const faults = (facts: Partial<typeof mended>, save = "") => faultsOf(info(facts), save, "refuse");
  for (const [found, sentence] of [
    [faults({}, "3600 1"), /`save ""`/],
    [faults({ aof_enabled: "1" }), /`appendonly no`/],
    [faults({ connected_slaves: "1" }), /must not replicate/],
    [faults({ role: "slave" }), /must not replicate/],
    [faults({ maxmemory: "0" }), /`maxmemory`/],
    [faults({ maxmemory_policy: "allkeys-lru" }), /`maxmemory-policy noeviction`/],
  ] as const) {
    assert.equal(found.length, 1);
    assert.match(found[0]!, sentence);
  }
});

test("what a server does not tell counts against it", () => {
  assert.equal(faultsOf(undefined, "", "accept").length, 1);
  assert.equal(faultsOf("", "", "refuse").length, 4);
  assert.match(faultsOf(info(), undefined, "refuse").join(), /REDIS_VOLATILE_CONFIG_UNREADABLE=accept/);
});

test("where nobody reads `save` and that is accepted, a snapshot that was written is a fault", () => {
  assert.deepEqual(faultsOf(info(), undefined, "accept"), []);
  for (const facts of [{ rdb_bgsave_in_progress: "1" }, { rdb_last_bgsave_time_sec: "0" }]) {
    assert.match(faultsOf(info(facts), undefined, "accept").join(), /has written a snapshot/);
  }
});

test("where `save` can be read, it counts, and that a snapshot was once written does not", () => {
  assert.deepEqual(faultsOf(info({ rdb_last_bgsave_time_sec: "3" }), "", "accept"), []);
  assert.equal(faultsOf(info(), "60 1", "accept").length, 1);
});
