import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionRoom } from "./connection-room.ts";

test("when all are open, the one that has been without a request for longest makes room", () => {
  const room = new ConnectionRoom<string>({ connectionsMax: 3 });
  for (const name of ["a", "b", "c"]) assert.equal(room.open(name, name), undefined);
  room.setBusy("a");
  room.setSilent("a");
  assert.deepEqual(room.open("d", "d"), { connection: "b", reason: "connections_full" });
  room.setBusy("c");
  assert.equal(room.open("e", "e")?.connection, "a");
});

test("where all others have requests, the new one is closed, and no longer counts", () => {
  const room = new ConnectionRoom<string>({ connectionsMax: 2 });
  for (const name of ["a", "b"]) {
    room.open(name, name);
    room.setBusy(name);
  }
  for (const name of ["c", "d"]) assert.equal(room.open(name, name)?.connection, name);
  room.close("a");
  assert.equal(room.open("e", "e"), undefined);
});

test("full from the first that had to make room until a tenth is free", () => {
  const room = new ConnectionRoom<number>({ connectionsMax: 20 });
  for (let name = 0; name < 20; name++) room.open(name, `${name}`);
  assert.equal(room.isFull, false);
  room.open(20, "20");
  assert.equal(room.isFull, true);
  room.close(20);
  room.close(20);
  assert.equal(room.isFull, true);
  room.close(19);
  assert.equal(room.isFull, false);
});

test("a source above its share closes its own once half of all are open; no source, no share", () => {
  const room = new ConnectionRoom<string>({ connectionsMax: 12, ofSourceMax: 2 });
  for (const name of ["a1", "a2", "a3", "a4"]) assert.equal(room.open(name, "a"), undefined);
  for (const name of ["p1", "p2", "p3"]) assert.equal(room.open(name, undefined), undefined);
  assert.equal(room.open("b1", "b"), undefined);
  room.setBusy("a1");
  assert.deepEqual(room.open("a5", "a"), { connection: "a2", reason: "address_share" });
  assert.equal(room.open("a6", "a")?.connection, "a3");
  assert.equal(room.open("p4", undefined), undefined);
  assert.equal(room.isFull, false);
});

test("a flood of silent connections from many sources never closes one that has a request", () => {
  const room = new ConnectionRoom<number>({ connectionsMax: 100 });
  for (let name = 0; name < 100; name++) {
    room.open(name, `${name}`);
    if (name < 10) room.setBusy(name);
  }
  for (let name = 100; name < 10_000; name++) {
    const closed = room.open(name, `${name % 200}`)!;
    assert.ok(closed.connection >= 10, `${closed.connection} had a request`);
  }
});
