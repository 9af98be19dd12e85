import { type ContractShape, checkRecogniser } from "./check.ts";
import { checkDetector, type DetectorShape } from "./detector-check.ts";

// Checks the one model that its parent sends, and replies with the embeddings of a recogniser or with one
// sentence. Then the parent ends it.
process.once("message", (message) => {
  const { onnx, contract } = message as CheckRequest;
  const check =
    contract.role === "detector" ? checkDetector(onnx, contract) : checkRecogniser(onnx, contract);
  void check
    .then(
      (golden): CheckReply => ({ golden: golden ?? [] }),
      (error: Error): CheckReply => ({ sentence: error.message }),
    )
    .then((reply) => process.send!(reply));
});

export type CheckRequest = { onnx: Uint8Array; contract: ContractShape | DetectorShape };
export type CheckReply = { golden: Float32Array[] } | { sentence: string };
