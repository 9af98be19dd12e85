import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionRoom } from "./connection-room.ts";

test("the oldest stranger of the address with most of them makes room, whatever it has sent", () => {
  const room = openRoom(4, { a: "192.0.2.1", b: "198.51.100.1", c: "198.51.100.2", d: "198.51.100.2" });
  for (const name of ["a", "b", "c", "d"]) room.begin(name);
  assert.equal(room.open("e", "203.0.113.1"), "c");
  assert.equal(room.open("f", "203.0.113.1"), "b");
});

test("somebody with many networks of 64 bits in one of 48 costs nobody else a place", () => {
  const room = openRoom(3, { a: "192.0.2.1", b: "198.51.100.1", c: "198.51.100.1" });
  for (let n = 1; n < 1_000; n++) {
    const closed = room.open(`${n}`, `2001:db8:1:${n.toString(16)}::/64`);
    if (n > 2) assert.equal(closed, `${n - 2}`);
  }
});

test("what has a complete request, or one with an accepted key, is kept; its place is lost with the answer", () => {
  const room = openRoom(3, { form: "192.0.2.1", call: "192.0.2.1", upload: "192.0.2.1" });
  room.begin("call");
  room.accept("call");
  room.complete("call");
  room.complete("form");
  assert.equal(room.open("a", "203.0.113.1"), "upload");
  room.end("form");
  // A body that has come after the answer.
  room.end("call");
  assert.equal(room.open("b", "203.0.113.1"), "form");
});

test("clients with keys leave a tenth to strangers, and lose nothing else to them between two requests", () => {
  const room = new ConnectionRoom<string>(20);
  for (let n = 0; n < 20; n++) {
    room.open(`known ${n}`, "192.0.2.1");
    room.accept(`known ${n}`);
    room.end(`known ${n}`);
  }
  room.accept("known 0");
  const closed = Array.from({ length: 100 }, (_, n) => room.open(`stranger ${n}`, `203.0.${n}.1`));
  assert.deepEqual(closed.slice(0, 4), ["known 1", "known 2", "known 3", "stranger 0"]);
  assert.ok(closed.slice(3).every((name) => name?.startsWith("stranger")));
  // A key that was accepted once says nothing of the next request: a proxy may send anybody's.
  room.begin("known 19");
  assert.deepEqual([room.isKnown("known 18"), room.isKnown("known 19")], [true, false]);
});

test("connections of a proxy of ours make room only after those of strangers", () => {
  const room = openRoom(3, { p: undefined, q: undefined, a: "192.0.2.1" });
  assert.equal(room.open("b", undefined), "a");
  assert.equal(room.open("c", undefined), "p");
});

test("a new one is refused only where all are busy: from then until a tenth is not, the room is full", () => {
  const room = new ConnectionRoom<number>(20);
  for (let n = 0; n < 20; n++) room.open(n, "192.0.2.1");
  for (let n = 20; n < 40; n++) room.open(n, "192.0.2.1");
  for (let n = 20; n < 40; n++) room.complete(n);
  assert.equal(room.isFull, false);
  for (const n of [40, 41]) assert.equal(room.open(n, "203.0.113.1"), n);
  room.close(41);
  room.end(20);
  assert.equal(room.isFull, true);
  room.close(21);
  assert.equal(room.isFull, false);
});

function openRoom(max: number, connections: Record<string, string | undefined>): ConnectionRoom<string> {
  const room = new ConnectionRoom<string>(max);
  for (const [name, address] of Object.entries(connections)) room.open(name, address);
  return room;
}
