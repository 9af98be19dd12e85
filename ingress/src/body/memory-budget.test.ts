import assert from "node:assert/strict";
import test from "node:test";
import { base64Image, facesAnswer, testServer } from "../../testing/server.ts";

const image = await base64Image();

test("a body above the memory budget is queue_full before it is read, and the budget is freed at the end of a call", async (t) => {
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const bytes = Buffer.byteLength(JSON.stringify({ img: image }));
  const { post } = testServer(t, {
    settings: { BODY_BYTES_MAX: `${bytes}`, BODIES_IN_FLIGHT_BYTES_MAX: `${bytes}` },
    dispatch: async ({ images }) => {
      started.resolve();
      await answer.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const first = post("/represent", { img: image });
  await started.promise;
  const second = await post("/represent", { img: image });
  assert.deepEqual(
    [second.statusCode, second.json().error, second.headers["retry-after"]],
    [503, "queue_full", "1"],
  );

  answer.resolve();
  assert.equal((await first).statusCode, 200);
  assert.equal((await post("/represent", { img: image })).statusCode, 200);
});
