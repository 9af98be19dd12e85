import assert from "node:assert/strict";
import { test } from "node:test";
import { type PixelRoom, PixelRooms } from "./pixel-rooms.ts";

const pictureBytes = 10 * 10 * 3;

test("a batch of the largest pictures fits, and one more does not", async () => {
  const rooms = new PixelRooms({ batchMax: 2, longSideMax: 10 });
  using room = await rooms.take();
  assert.ok(hold(room, picture(1)));
  assert.ok(hold(room, picture(2)));
  assert.equal(hold(room, picture(3)), undefined);
});

test("a batch fits whatever the order of its sizes", async () => {
  const rooms = new PixelRooms({ batchMax: 4, longSideMax: 10 });
  using room = await rooms.take();
  for (const bytes of [200, 200, 200, pictureBytes]) assert.ok(hold(room, picture(1, bytes)));
});

test("small pictures share a slab, and keep their own pixels", async () => {
  const rooms = new PixelRooms({ batchMax: 4, longSideMax: 10 });
  using room = await rooms.take();
  const first = hold(room, picture(7, 11))!;
  const second = hold(room, picture(9, 13))!;
  assert.equal(first.buffer, second.buffer);
  assert.ok(first.buffer instanceof SharedArrayBuffer);
  assert.deepEqual(first, picture(7, 11));
  assert.deepEqual(second, picture(9, 13));
});

test("a picture larger than any may be has no place", async () => {
  const rooms = new PixelRooms({ batchMax: 4, longSideMax: 10 });
  using room = await rooms.take();
  assert.equal(hold(room, picture(1, pictureBytes + 8)), undefined);
});

test("when a batch ends, nothing of its pictures is left", async () => {
  const rooms = new PixelRooms({ batchMax: 2, longSideMax: 10, roomsMax: 1 });
  const held: Uint8Array[] = [];
  {
    using room = await rooms.take();
    held.push(hold(room, picture(255, 299))!, hold(room, picture(255))!);
  }
  for (const pixels of held) assert.deepEqual(pixels, picture(0, pixels.length));

  using next = await rooms.take();
  assert.equal(hold(next, picture(1))!.buffer, held[0]!.buffer, "the memory is used again");
});

test("a third batch waits until one of two ends; ending twice frees one room", async () => {
  const rooms = new PixelRooms({ batchMax: 1, longSideMax: 10 });
  const [first, second] = [await rooms.take(), await rooms.take()];
  const order: string[] = [];
  const third = rooms.take().then(() => order.push("third"));
  const fourth = rooms.take().then(() => order.push("fourth"));
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await third;
  assert.deepEqual(order, ["third"]);
  second[Symbol.dispose]();
  await fourth;
  assert.deepEqual(order, ["third", "fourth"]);
  assert.throws(() => first.reserve(1), /whose batch has ended/);
});

function hold(room: PixelRoom, pixels: Uint8Array): Uint8Array | undefined {
  const held = room.reserve(pixels.length);
  held?.set(pixels);
  return held;
}

function picture(value: number, bytes: number = pictureBytes): Uint8Array {
  return new Uint8Array(bytes).fill(value);
}
