import { type ContractShape, checkRecogniser } from "./check.ts";

// Checks the one recogniser that its parent sends, and replies with its embeddings or with one sentence. Then
// the parent ends it.
process.once("message", (message) => {
  const { onnx, contract } = message as CheckRequest;
  void checkRecogniser(onnx, contract)
    .then(
      (golden): CheckReply => ({ golden }),
      (error: Error): CheckReply => ({ sentence: error.message }),
    )
    .then((reply) => process.send!(reply));
});

export type CheckRequest = { onnx: Uint8Array; contract: ContractShape };
export type CheckReply = { golden: Float32Array[] } | { sentence: string };
