import assert from "node:assert/strict";
import test from "node:test";
import { RepresentReply } from "@faceline/contracts/http/represent";
import { portraits } from "@faceline/testing/faces";
import { apiClient, retryOnOverload } from "./stack/api-client.ts";

const rounds = 200;

test(`two concurrent callers with the same x-request-id, ${rounds} rounds: each receives the embedding of its own picture`, async () => {
  const { FACELINE_URL, FACELINE_KEY } = process.env;
  assert.ok(FACELINE_URL && FACELINE_KEY, "this test is one of `npm run e2e`");
  const post = retryOnOverload(apiClient(FACELINE_URL, FACELINE_KEY));
  const [one, other] = (await portraits()).map((picture) => picture.toString("base64"));

  const embeddingOf = async (id: string, img: string | undefined): Promise<string> => {
    const body = { img, detector_backend: "tiny", embedding_format: "base64" };
    const reply = await post("/represent", body, { "x-request-id": id });
    assert.equal(reply.status, 200, `${id}: ${JSON.stringify(reply.body).slice(0, 200)}`);
    const { results, request_id } = RepresentReply.parse(reply.body);
    assert.deepEqual([request_id, reply.headers.get("x-request-id")], [id, id]);
    return String(results[0]!.embedding);
  };
  const own = await embeddingOf("one", one);
  const others = await embeddingOf("other", other);
  assert.ok(distance(own, others) > 0.3, "the embeddings of two people differ");

  for (let round = 0; round < rounds; round++) {
    const id = `shared-${round % 7}`;
    // Alternating, so that neither is always first.
    const pictures = round % 2 === 0 ? [one, other] : [other, one];
    const [first, second] = await Promise.all(pictures.map((picture) => embeddingOf(id, picture)));
    const [mine, theirs] = round % 2 === 0 ? [first, second] : [second, first];
    // Embeddings from batches of different sizes differ in their last bits.
    assert.ok(distance(mine!, own) < 1e-3, `round ${round}: the first caller's answer`);
    assert.ok(distance(theirs!, others) < 1e-3, `round ${round}: the second caller's answer`);
  }
});

/** Euclidean distance of two embeddings in Base64. */
function distance(a: string, b: string): number {
  const [one, other] = [a, b].map(
    (text) => new Float32Array(new Uint8Array(Buffer.from(text, "base64")).buffer),
  );
  return Math.hypot(...one!.map((value, i) => value - other![i]!));
}
