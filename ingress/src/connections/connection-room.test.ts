import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionRoom } from "./connection-room.ts";

test("the longest idle connection of the network with most of them makes room", () => {
  const room = openRoom(4, { a: "192.0.2.1", b: "198.51.100.1", c: "198.51.100.2", d: "198.51.100.2" });
  // It had a request since.
  room.setBusy("b", true);
  room.setBusy("b", false);
  assert.equal(room.open("e", "203.0.113.1"), "c");
  assert.equal(room.open("f", "203.0.113.1"), "d");
});

test("somebody with many networks of 64 bits in one of 48 costs nobody else a place", () => {
  const room = openRoom(3, { a: "192.0.2.1", b: "198.51.100.1", c: "198.51.100.1" });
  for (let n = 1; n < 1_000; n++) {
    const closed = room.open(`${n}`, `2001:db8:1:${n.toString(16)}::/64`);
    if (n > 2) assert.equal(closed, `${n - 2}`);
  }
});

test("connections of a proxy of ours make room only after all others", () => {
  const room = openRoom(3, { p: undefined, q: undefined, a: "192.0.2.1" });
  assert.equal(room.open("b", undefined), "a");
  assert.equal(room.open("c", undefined), "p");
});

test("a new one is refused only where all are busy: from then until a tenth is not, the room is full", () => {
  const room = new ConnectionRoom<number>(20);
  for (let n = 0; n < 40; n++) room.open(n, "192.0.2.1");
  for (let n = 20; n < 40; n++) room.setBusy(n, true);
  assert.equal(room.isFull, false);
  for (const n of [40, 41]) assert.equal(room.open(n, "203.0.113.1"), n);
  // They do not count.
  room.close(41);
  room.setBusy(20, false);
  assert.equal(room.isFull, true);
  room.close(21);
  assert.equal(room.isFull, false);
  assert.deepEqual([room.open(42, "203.0.113.1"), room.open(43, "203.0.113.1")], [undefined, 20]);
});

function openRoom(max: number, connections: Record<string, string | undefined>): ConnectionRoom<string> {
  const room = new ConnectionRoom<string>(max);
  for (const [name, address] of Object.entries(connections)) room.open(name, address);
  return room;
}
