import assert from "node:assert/strict";
import { test } from "node:test";
import { Message, varint } from "./protobuf.ts";
import { readFields } from "./reader.ts";

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

test("a varint has seven bits a byte, the lowest first", () => {
  assert.equal(hex(varint(0)), "00");
  assert.equal(hex(varint(127)), "7f");
  assert.equal(hex(varint(128)), "8001");
  assert.equal(hex(varint(300)), "ac02");
  assert.equal(hex(varint(2 ** 40)), "808080808020");
});

test("a negative varint is its two's complement in ten bytes", () => {
  assert.equal(hex(varint(-1)), "ffffffffffffffffff01");
  assert.equal(hex(varint(-2)), "feffffffffffffffff01");
  assert.equal(hex(varint(-(2n ** 63n))), "80808080808080808001");
});

test("every kind of field comes back as it was written", () => {
  const inner = new Message().text(1, "é");
  const bytes = new Message()
    .int(1, -5)
    .float(2, 0.5)
    .text(20, "ab")
    .packed(7, [1, 300])
    .message(8, inner)
    .encode();
  assert.deepEqual(
    [...readFields(bytes)].map(({ field, value }) => [
      field,
      value instanceof Uint8Array ? hex(value) : value,
    ]),
    [
      [1, -5n],
      [2, 0.5],
      [20, "6162"],
      [7, "01ac02"],
      [8, "0a02c3a9"],
    ],
  );
});

test("a truncated message is an error", () => {
  const whole = new Message().text(1, "face").encode();
  assert.throws(() => [...readFields(whole.subarray(0, 4))], /field 1 is longer than its message/);
});
