import assert from "node:assert/strict";
import test from "node:test";
import { startStack } from "./stack/stack.ts";

test("a worker with a wrong setting ends with one sentence that names it", async (t) => {
  const starting = startStack(t, { settings: { PRECISION: "int8,sdd=float" } });
  await assert.rejects(starting, ({ message }: Error) => {
    assert.equal(
      message,
      "inference-1 ended with exit code 1. Its last lines:\n  PRECISION names unknown models: sdd; there are Dlib, MobileFaceNet, SFace, blazeface, faceboxes, landmarks-68, ssd, yunet",
    );
    return true;
  });
});
