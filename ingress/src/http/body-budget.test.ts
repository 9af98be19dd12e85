import assert from "node:assert/strict";
import test from "node:test";
import { faces, picture, stage } from "../stage.ts";

const image = await picture();

test("bodies in flight have a budget: who comes above it gets queue_full before the body is read, and it is freed", async (t) => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const bytes = Buffer.byteLength(JSON.stringify({ img: image }));
  const { post } = stage(t, {
    settings: { BODY_BYTES_MAX: `${bytes}`, BODIES_IN_FLIGHT_BYTES_MAX: `${bytes}` },
    findFaces: async ({ images }) => {
      asked.resolve();
      await answer.promise;
      return images.map(() => faces([1, 0]));
    },
  });
  const first = post("/represent", { img: image });
  await asked.promise;
  const second = await post("/represent", { img: image });
  assert.deepEqual(
    [second.statusCode, second.json().error, second.headers["retry-after"]],
    [503, "queue_full", "1"],
  );

  answer.resolve();
  assert.equal((await first).statusCode, 200);
  assert.equal((await post("/represent", { img: image })).statusCode, 200);
});
