import assert from "node:assert/strict";
import { test } from "node:test";
import { builtModel } from "../../testing/built.ts";
import { foreignDetector, priorContract, strideContract } from "../../testing/foreign-detector.ts";
import { foreignContract, foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { readCatalogue } from "../catalogue.ts";
import { adaptOnnx } from "../contract/adapter.ts";
import { adaptDetector } from "../contract/detector-adapter.ts";
import { Graph } from "./graph.ts";
import { requireKnownCost } from "./known-cost.ts";
import { Message } from "./protobuf.ts";
import { RefusedNetwork } from "./self-contained.ts";

/** Operators whose outputs have the sizes that some of their inputs say, and which inputs. */
const sizedBy = {
  ConstantOfShape: [0],
  CumSum: [1],
  Expand: [1],
  OneHot: [1],
  Pad: [1, 3],
  ReduceMax: [1],
  ReduceMean: [1],
  Reshape: [1],
  Resize: [1, 2, 3],
  Slice: [1, 2, 3, 4],
  Split: [1],
  Squeeze: [1],
  Tile: [1],
  TopK: [1],
  Unsqueeze: [1],
  Upsample: [1],
};

test("a size from pixels is refused at every input that says one, and one from Shape passes there", () => {
  for (const [operator, places] of Object.entries(sizedBy)) {
    for (const place of places) {
      const network = (size: string) =>
        withNode(operator, (at) => (at === place ? size : at === 0 ? "x" : "constant"), Math.max(...places));
      const refused = new RegExp(`^RefusedNetwork: .*"large" \\("${operator}"\\) takes a size from "count"`);
      assert.throws(() => requireKnownCost(network("count")), matches(refused), `${operator} ${place}`);
      requireKnownCost(network("sides"));
      requireKnownCost(network("constant"));
    }
  }
});

test("operators that loop, branch, draw lots, select by value or are not known are refused", () => {
  for (const operator of `
    Loop Scan If SequenceMap SequenceConstruct SequenceInsert SplitToSequence ConcatFromSequence Optional
    NonZero Range Unique Compress NonMaxSuppression RoiAlign RandomNormal RandomNormalLike RandomUniform
    RandomUniformLike Bernoulli Multinomial StringSplit TfIdfVectorizer ImageDecoder STFT New`
    .trim()
    .split(/\s+/)) {
    const network = withNode(operator, () => "constant", 1);
    assert.throws(
      () => requireKnownCost(network),
      matches(new RegExp(`"large" is the operator "${operator}"`)),
    );
    assert.throws(() => adaptOnnx(network, foreignContract), RefusedNetwork);
  }
});

test("functions, which may have the name of any operator, and trees of any depth are refused", () => {
  const relu = new Message().text(1, "Relu").message(7, new Message().text(4, "Loop"));
  const withFunction = new Message().message(25, relu).encode();
  assert.throws(() => requireKnownCost(withFunction), matches(/functions of its own/));
  const tree = new Message().text(2, "y").text(4, "Add").text(7, "ai.onnx.ml");
  const withTree = new Message().message(7, new Message().message(1, tree)).encode();
  assert.throws(() => requireKnownCost(withTree), matches(/"y" is the operator "Add"/));
});

test("the models of the catalogue and honest foreign ones pass", async () => {
  const { models } = await readCatalogue();
  for (const model of models.filter(({ source }) => source.kind === "npm_tfjs")) {
    for (const build of model.builds) requireKnownCost(await builtModel(model, build));
  }
  requireKnownCost(adaptOnnx(foreignRecogniser(), foreignContract));
  for (const contract of [strideContract, priorContract]) {
    requireKnownCost(adaptDetector(foreignDetector(contract), contract));
  }
});

/**
 * A network with a node `large` that has inputs up to `last`. `count` is as many as its pixels say, `sides`
 * are those of its input as exporters compute them, and `constant` is a constant.
 */
function withNode(operator: string, inputOf: (at: number) => string, last: number): Uint8Array {
  const graph = new Graph("g");
  graph.input("x", "float32", ["N", 3, 112, 112]);
  graph.ints("constant", [1]);
  graph.node("mean", "ReduceMean", ["x"], { keepdims: 0 });
  graph.node("count", "Cast", ["mean"], { to: 7 });
  graph.node("shape", "Shape", ["x"]);
  graph.node("first", "Gather", ["shape", "constant"], { axis: 0 });
  graph.node("sides", "Concat", ["first", "constant"], { axis: 0 });
  graph.node(
    "large",
    operator,
    Array.from({ length: last + 1 }, (_, at) => inputOf(at)),
  );
  graph.node("emb", "Add", ["mean", "large"]);
  graph.output("emb", "float32", ["N", 16]);
  return graph.encode({});
}

/** Whether an error is of a refused network, and says this. */
const matches = (sentence: RegExp) => (error: Error) => {
  assert.ok(error instanceof RefusedNetwork);
  assert.match(`RefusedNetwork: ${error.message}`, sentence);
  return true;
};
