import assert from "node:assert/strict";
import { test } from "node:test";
import { builtModel } from "../../testing/built.ts";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { externalTensor, secretReader } from "../../testing/hostile-networks.ts";
import { readCatalogue } from "../catalogue.ts";
import { adaptOnnx } from "../contract/adapter.ts";
import * as ort from "../onnxruntime.ts";
import { Message, varint } from "./protobuf.ts";
import { RefusedNetwork, requireSelfContained } from "./self-contained.ts";

const elsewhere = (): Message => externalTensor("w", { location: "secret", bytes: 16 });
const inAnotherFile = { message: 'It keeps the weights "w" in another file: export it into one file.' };

test("a network that reads another file is refused, wherever the file is", async () => {
  for (const location of ["package.json", "/etc/passwd", "../secret", "*/_ORT_MEM_ADDR_/*"]) {
    const message = 'It keeps the weights "secret" in another file: export it into one file.';
    assert.throws(() => requireSelfContained(secretReader(location, 51)), { message });
    await assert.rejects(ort.createSession(secretReader(location, 51)), { message });
  }
});

test("weights in another file are found in every place where ONNX allows a tensor", () => {
  const sparse = (field: number) => wrapped(field, elsewhere());
  const places: Record<string, Message> = {
    initializer: graph(wrapped(5, elsewhere())),
    "values of a sparse initializer": graph(wrapped(15, sparse(1))),
    "indices of a sparse initializer": graph(wrapped(15, sparse(2))),
    "attribute of a node": withAttribute(wrapped(5, elsewhere())),
    "attribute with several tensors": withAttribute(wrapped(10, elsewhere())),
    "sparse attribute": withAttribute(wrapped(22, sparse(1))),
    "attribute with several sparse tensors": withAttribute(wrapped(23, sparse(2))),
    "subgraph of a node": withAttribute(wrapped(6, wrapped(5, elsewhere()))),
    "one of several subgraphs": withAttribute(
      wrapped(11, new Message()).message(11, wrapped(5, elsewhere())),
    ),
    "subgraph of a subgraph": nested(2, wrapped(5, elsewhere())),
    "body of a function": wrapped(25, wrapped(7, node(wrapped(5, elsewhere())))),
    "default of a function": wrapped(25, wrapped(11, wrapped(5, elsewhere()))),
    "training graph": wrapped(20, wrapped(2, wrapped(5, elsewhere()))),
  };
  for (const [place, model] of Object.entries(places)) {
    assert.throws(() => requireSelfContained(model.encode()), inAnotherFile, place);
  }
});

test("weights count as elsewhere in each way in which protobuf may say so", () => {
  const tensor = (): Message => new Message().int(2, 2).text(8, "w");
  const location = new Message().text(1, "location").text(2, "secret");
  for (const [how, value] of Object.entries({
    "place without a location": tensor().int(14, 1),
    "location without a place": tensor().message(13, location),
    "location in a field that says it is inside": tensor().message(13, location).int(14, 0),
    "enum of more than 32 bits, of which protobuf drops some": tensor().int(14, 2n ** 32n + 1n),
    "enum that nobody knows": tensor().int(14, 7),
  })) {
    const onnx = graph(wrapped(5, value)).encode();
    assert.throws(() => requireSelfContained(onnx), inAnotherFile, how);
  }
});

test("what protobuf would merge, skip or read in another way is refused", () => {
  const halves = [new Message().text(2, "g"), wrapped(5, elsewhere())];
  const split = wrapped(7, halves[0]!).message(7, halves[1]!);
  const twoTensors = withAttribute(wrapped(5, new Message()).message(5, elsewhere()));
  const twoDomains = graph(wrapped(1, new Message().text(4, "Add").text(7, "evil").text(7, "")));
  for (const [how, onnx] of Object.entries({
    "graph in two parts": split.encode(),
    "attribute with two tensors where one belongs": twoTensors.encode(),
    "node with two domains": twoDomains.encode(),
    "field that ONNX does not have": wrapped(99, new Message()).encode(),
    "graph that is a number": new Message().int(7, 1).encode(),
    "domain that is a number": graph(wrapped(1, new Message().int(7, 1))).encode(),
    "field with the number 0": Uint8Array.of(0),
    group: Uint8Array.of((7 << 3) | 3, (7 << 3) | 4),
    "length below 0": Uint8Array.of((7 << 3) | 2, ...varint(-4)),
    "tag of more than 32 bits": Uint8Array.of(...varint(2 ** 35 + ((7 << 3) | 2)), 0),
    "message that is cut off": Uint8Array.of((7 << 3) | 2, 200),
  })) {
    assert.throws(() => requireSelfContained(onnx), { message: /^It is not an ONNX file/ }, how);
    assert.throws(() => requireSelfContained(onnx), RefusedNetwork, how);
  }
});

test("operators of others are refused, in nodes, declarations and functions", () => {
  const foreign = "ai.onnx.contrib";
  const message =
    'It has operators of the domain "ai.onnx.contrib": export it with only standard ONNX operators.';
  const call = new Message().text(4, "PyOp").text(7, foreign);
  for (const [place, model] of Object.entries({
    node: graph(wrapped(1, call)),
    "node of a subgraph": nested(1, wrapped(1, call)),
    "node of a function": wrapped(25, wrapped(7, call)),
    "function's own domain": wrapped(25, new Message().text(1, "F").text(10, foreign)),
    declaration: wrapped(8, new Message().text(1, foreign).int(2, 1)),
    "function's declaration": wrapped(25, wrapped(9, new Message().text(1, foreign))),
  })) {
    assert.throws(() => requireSelfContained(model.encode()), { message }, place);
  }
  // Decoders of UTF-8 drop this first character, and onnxruntime does not.
  const marked = graph(wrapped(1, new Message().text(4, "Add").text(7, "\uFEFFai.onnx")));
  assert.throws(() => requireSelfContained(marked.encode()), /of the domain "\?\?\?ai\.onnx"/);
});

test("the domains that onnxruntime declares in files which it has optimised pass, but none of their operators", () => {
  const domain = "org.pytorch.aten";
  requireSelfContained(wrapped(8, new Message().text(1, domain).int(2, 1)).encode());
  const call = graph(wrapped(1, new Message().text(4, "ATen").text(7, domain)));
  assert.throws(() => requireSelfContained(call.encode()), /of the domain "org\.pytorch\.aten"/);
});

test("of onnxruntime's own operators those pass that compute, and not the one that reads files", () => {
  const call = (operator: string) => new Message().text(4, operator).text(7, "com.microsoft");
  requireSelfContained(graph(wrapped(1, call("QLinearAdd"))).encode());
  const context = graph(wrapped(1, call("EPContext"))).encode();
  assert.throws(() => requireSelfContained(context), {
    message: 'It has the operator "EPContext" of com.microsoft: export it with only standard ONNX operators.',
  });
});

test("a file in onnxruntime's own format, or with settings for it, is refused", () => {
  // Also valid protobuf: a version, and the producer's name.
  const both = new Message().int(1, 8).text(2, "ORTM").encode();
  assert.throws(() => requireSelfContained(both), /^Error: It is in the ORT format/);
  const settings = wrapped(14, new Message().text(1, "ort_config").text(2, "{}")).encode();
  assert.throws(() => requireSelfContained(settings), /^Error: Its metadata have ort_config/);
});

test("depth and number of fields are bounded", () => {
  assert.throws(() => requireSelfContained(nested(40, new Message()).encode()), /nested deeper than 100/);
  requireSelfContained(nested(30, new Message()).encode());
  const names = Buffer.alloc(2 * 1_000_001, Uint8Array.of((1 << 3) | 2, 0));
  const node = wrapped(1, new Message().bytes(1, new Uint8Array()));
  const many = graph(node.bytes(1, names)).encode();
  assert.throws(() => requireSelfContained(many), /^Error: It has more than 1000000 fields/);
});

test("weights are skipped, not copied", () => {
  const weightBytes = 512 * 2 ** 20;
  const tensor = [(9 << 3) | 2, ...varint(weightBytes)];
  const initializer = [(5 << 3) | 2, ...varint(tensor.length + weightBytes), ...tensor];
  const model = [(7 << 3) | 2, ...varint(initializer.length + weightBytes), ...initializer];
  // The system gives memory only to pages that somebody touches.
  const onnx = new Uint8Array(model.length + weightBytes);
  onnx.set(model);
  const before = process.memoryUsage();
  requireSelfContained(onnx);
  const after = process.memoryUsage();
  assert.ok(after.arrayBuffers - before.arrayBuffers < 2 ** 20);
  assert.ok(after.rss - before.rss < weightBytes / 4);
});

test("the models of the catalogue and honest foreign ones pass", async () => {
  const { models } = await readCatalogue();
  for (const model of models.filter(({ source }) => source.kind === "npm_tfjs")) {
    for (const build of model.builds) requireSelfContained(await builtModel(model, build));
  }
  requireSelfContained(foreignRecogniser());
  requireSelfContained(adaptOnnx(foreignRecogniser(), foreignContract));
});

/** A message with one nested message. */
function wrapped(field: number, inner: Message): Message {
  return new Message().message(field, inner);
}

function graph(fields: Message): Message {
  return wrapped(7, fields);
}

function node(attribute: Message): Message {
  return new Message().text(4, "Constant").message(5, attribute);
}

function withAttribute(attribute: Message): Message {
  return graph(wrapped(1, node(attribute)));
}

/** A graph within so many others. */
function nested(depth: number, innermost: Message): Message {
  let inner = innermost;
  for (let i = 0; i < depth; i++) inner = wrapped(1, node(wrapped(6, inner)));
  return graph(inner);
}
