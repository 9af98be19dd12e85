import assert from "node:assert/strict";
import { test } from "node:test";
import { Message } from "./protobuf.ts";
import { flushTinyWeights } from "./tiny-weights.ts";

const numbers = [1, 2 ** -63, -(2 ** -64), 2 ** -149, 0, -1e-30];
const flushed = [1, 2 ** -63, 0, 0, 0, 0];

test("weights below 2^-63 become 0, in every way that a tensor of float32 is written", () => {
  for (const tensor of [
    tensorOf([2, 3], (message, bytes) => message.bytes(9, bytes)),
    tensorOf([2, 3], (message, bytes) => message.bytes(4, bytes)),
    new Message().packed(1, [2, 3]).int(2, 1).bytes(9, bytesOf(numbers)),
  ]) {
    const file = modelOf((graph) => graph.message(5, tensor));
    const before = Uint8Array.from(file);
    const { onnx, ...counts } = flushTinyWeights(file);
    assert.deepEqual(counts, { weights: 6, flushed: 3 });
    const expected = Buffer.from(bytesOf(flushed));
    assert.ok(Buffer.from(onnx).includes(expected));
    assert.equal(onnx.length, file.length);
    assert.deepEqual(file, before);
  }
});

test("constants of nodes are weights too, also in the branch of a node", () => {
  const value = new Message().text(1, "value").message(5, tensorOf([3, 2]));
  const constant = new Message().text(2, "c").text(4, "Constant").message(5, value);
  const branch = new Message().message(1, constant);
  const node = new Message().text(4, "If").message(5, new Message().text(1, "then").message(6, branch));
  for (const each of [constant, node]) {
    assert.equal(flushTinyWeights(modelOf((graph) => graph.message(1, each))).flushed, 3);
  }
});

test("vectors and single numbers stay, because they may divide, and so do other types", () => {
  for (const tensor of [tensorOf([6]), tensorOf([2, 3], undefined, 11)]) {
    const file = modelOf((graph) => graph.message(5, tensor));
    assert.deepEqual(flushTinyWeights(file), { onnx: file, weights: 0, flushed: 0 });
  }
});

/** A TensorProto of `numbers`; of raw bytes unless `write` says otherwise. */
function tensorOf(
  shape: readonly number[],
  write = (message: Message, bytes: Uint8Array) => message.bytes(9, bytes),
  type = 1,
): Message {
  const tensor = new Message();
  for (const side of shape) tensor.int(1, side);
  return write(tensor.int(2, type).text(8, "w"), bytesOf(numbers));
}

const bytesOf = (values: readonly number[]) => new Uint8Array(Float32Array.from(values).buffer);

const modelOf = (fill: (graph: Message) => Message): Uint8Array =>
  new Message().message(7, fill(new Message())).encode();
