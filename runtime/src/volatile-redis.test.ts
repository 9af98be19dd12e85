import assert from "node:assert/strict";
import test from "node:test";
import { faultsOf } from "./volatile-redis.ts";

const acceptedInfo = {
  role: "master",
  connected_slaves: "0",
  aof_enabled: "0",
  rdb_bgsave_in_progress: "0",
  rdb_last_bgsave_time_sec: "-1",
  maxmemory: "1073741824",
  maxmemory_policy: "noeviction",
};
const info = (fields: Partial<typeof acceptedInfo> = {}) =>
  Object.entries({ ...acceptedInfo, ...fields })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join("");

test("a server that holds data in memory only is accepted", () => {
  assert.deepEqual(faultsOf(info(), "", "refuse"), []);
});

test("persistence, replication, eviction and unbounded memory are each one fault", () => {
  const faults = (fields: Partial<typeof acceptedInfo>, save = "") => faultsOf(info(fields), save, "refuse");
  for (const [actual, sentence] of [
    [faults({}, "3600 1"), /`save ""`/],
    [faults({ aof_enabled: "1" }), /`appendonly no`/],
    [faults({ connected_slaves: "1" }), /must not replicate/],
    [faults({ role: "slave" }), /must not replicate/],
    [faults({ maxmemory: "0" }), /`maxmemory`/],
    [faults({ maxmemory_policy: "allkeys-lru" }), /`maxmemory-policy noeviction`/],
  ] as const) {
    assert.equal(actual.length, 1);
    assert.match(actual[0]!, sentence);
  }
});

test("a value that the server does not report counts as a fault", () => {
  assert.equal(faultsOf(undefined, "", "accept").length, 1);
  assert.equal(faultsOf("", "", "refuse").length, 4);
  assert.match(faultsOf(info(), undefined, "refuse").join(), /REDIS_VOLATILE_CONFIG_UNREADABLE=accept/);
});

test("when an unreadable `save` is accepted, a snapshot that was written is a fault", () => {
  assert.deepEqual(faultsOf(info(), undefined, "accept"), []);
  for (const fields of [{ rdb_bgsave_in_progress: "1" }, { rdb_last_bgsave_time_sec: "0" }]) {
    assert.match(faultsOf(info(fields), undefined, "accept").join(), /has written a snapshot/);
  }
});

test("when `save` can be read, it decides, and an earlier snapshot does not", () => {
  assert.deepEqual(faultsOf(info({ rdb_last_bgsave_time_sec: "3" }), "", "accept"), []);
  assert.equal(faultsOf(info(), "60 1", "accept").length, 1);
});
