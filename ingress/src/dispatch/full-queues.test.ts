import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Answer } from "@faceline/contracts/wire/answer";
import { base64Image, facesAnswer, testNow, testServer, waitUntil } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";

// The ingress knows of the queue what the batcher's refusals say. A body that is not JSON shows whether it
// was parsed.

const queueFull = "queue_full";
const parsed = "invalid_json";

test("while a team's queue is full its large calls are refused before they are parsed: one goes on for each that ends", async (t) => {
  const { accept, refuse, endOne, sendLarge } = await teamWithQueue(t);
  await accept();
  await accept();
  await refuse();
  assert.deepEqual([await sendLarge(), await sendLarge()], [queueFull, queueFull]);
  await endOne();
  assert.deepEqual([await sendLarge(), await sendLarge()], [parsed, queueFull]);
});

test("a call that is smaller, or may wait for longer, is left to the batcher", async (t) => {
  const { accept, refuse, sendLarge } = await teamWithQueue(t);
  await accept();
  await refuse();
  assert.equal(await sendLarge({ bytes: largeBytes / 4 }), parsed);
  assert.equal(await sendLarge({ budgetMs: 30_000 }), parsed);
});

test("a refusal says nothing after a second, and nothing about a team that has no call under way", async (t) => {
  const { accept, refuse, endOne, pass, sendLarge } = await teamWithQueue(t);
  await accept();
  await refuse();
  pass(1_000);
  assert.equal(await sendLarge(), parsed);
  await endOne();
  await refuse();
  assert.equal(await sendLarge(), parsed);
});

const largeBytes = 400_000;

/** A team whose calls the batcher accepts or refuses, as the test says. */
async function teamWithQueue(t: TestContext) {
  let now = testNow;
  const waiting: PromiseWithResolvers<Answer[]>[] = [];
  let isFull = false;
  const { post } = testServer(t, {
    clock: { now: () => now },
    dispatch: async () => {
      if (isFull) throw new ApiError("queue_full", "Too many calls are waiting.", { retryAfterMs: 1_500 });
      waiting.push(Promise.withResolvers());
      return waiting.at(-1)!.promise;
    },
  });
  const send = async (body: unknown, budgetMs = 9_000) => {
    const headers = { "content-type": "application/json", "x-request-timeout-ms": `${budgetMs}` };
    return (await post("/verify", body, headers)).json();
  };
  const image = Buffer.from(await base64Image(), "base64");
  // What follows the end of a JPEG does not matter.
  const padded = Buffer.concat([image, Buffer.alloc(0.36 * largeBytes)]).toString("base64");
  const body = { img1: padded, img2: padded };
  const accepted: ReturnType<typeof send>[] = [];
  return {
    async accept() {
      isFull = false;
      const before = waiting.length;
      accepted.push(send(body));
      await waitUntil("the call is under way", async () => waiting.length > before);
    },
    async refuse() {
      isFull = true;
      assert.equal((await send(body)).error, queueFull);
    },
    async endOne() {
      waiting.shift()!.resolve([facesAnswer([1, 0]), facesAnswer([1, 0])]);
      assert.equal((await accepted.shift()!).verified, true);
    },
    /** Returns the error of a body that is large and no JSON. */
    sendLarge: async ({ bytes = largeBytes, budgetMs = 9_000 } = {}) =>
      (await send("{".padEnd(bytes), budgetMs)).error,
    pass(ms: number) {
      now += ms;
    },
  };
}
