import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  answerWith,
  base64Image,
  facesAnswer,
  testKeyRecord,
  testServer,
  waitUntil,
} from "../../testing/server.ts";
import { callFailure } from "../dispatch/call-failure.ts";

const image = await base64Image();
const large = { img: image, more: "a".repeat(300_000) };

test("after a refusal of the batcher the large calls of the team wait for each other", async (t) => {
  const { postLarge, post, refuseOneOfTwo, next } = overloadedServer(t);
  const { first, call } = await refuseOneOfTwo();
  const [second, third] = [postLarge(), postLarge()];
  const small = await post("/verify", { img1: image, img2: image });
  assert.equal(small.statusCode, 200, "a small call overtakes them");
  call.answer();
  (await next()).answer();
  (await next()).answer();
  const responses = await Promise.all([first, second, third]);
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  );
});

test("the large calls of other teams do not wait", async (t) => {
  const { postLarge, refuseOneOfTwo, next } = overloadedServer(t);
  const { first, call } = await refuseOneOfTwo();
  const other = postLarge({ "x-api-key": "bees" });
  (await next()).answer();
  assert.equal((await other).statusCode, 200);
  call.answer();
  assert.equal((await first).statusCode, 200);
});

test("a large call that has waited for too long is queue_full, and its body was not parsed", async (t) => {
  const { post, refuseOneOfTwo } = overloadedServer(t, {}, { largeCallWaitMs: 1 });
  const { first, call } = await refuseOneOfTwo();
  const response = await post("/represent", `{broken${"a".repeat(300_000)}`, {
    "content-type": "application/json",
  });
  assert.deepEqual(
    [response.statusCode, response.json().error, response.headers["retry-after"]],
    [503, "queue_full", "1"],
  );
  call.answer();
  assert.equal((await first).statusCode, 200);
});

test("once all large calls of the team have ended, they begin at once again", async (t) => {
  const { postLarge, refuseOneOfTwo, next } = overloadedServer(t);
  const { first, call } = await refuseOneOfTwo();
  call.answer();
  await first;
  const responses = [postLarge(), postLarge()];
  const calls = [await next(), await next()];
  for (const { answer } of calls) answer();
  await Promise.all(responses);
});

test("of a team that sends faster than its pace, a refusal also holds back calls that came before it", async (t) => {
  const settings = { TEAM_BODY_BYTES_PER_SECOND: "310000" };
  const { postLarge, next } = overloadedServer(t, settings, { largeCallWaitMs: 1 });
  const first = postLarge();
  const call = await next();
  const later = [postLarge(), postLarge(), postLarge()];
  (await next()).refuse();
  const responses = await Promise.all(later);
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    [503, 503, 503],
  );
  call.answer();
  assert.equal((await first).statusCode, 200);
});

/**
 * A server whose every key belongs to a team of its own. The test plays the batcher for calls of one image;
 * those of two are answered at once.
 */
function overloadedServer(t: TestContext, settings: Record<string, string> = {}, limits = {}) {
  const calls: BatcherCall[] = [];
  const { post } = testServer(t, {
    settings,
    limits,
    findKey: async (sha256) => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team: sha256 } }),
    dispatch: async ({ images, record }) => {
      if (images.length === 1) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const refuse = () => {
          const outcome = {
            kind: "shed",
            reason: "queue_too_long",
            predictedMs: 9,
            retryAfterMs: 9,
          } as const;
          record.answered(answerWith(outcome));
          reject(callFailure(outcome));
        };
        calls.push({ answer: resolve, refuse });
        await promise;
      }
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const postLarge = (headers?: Record<string, string>) => post("/represent", large, headers);
  const next = async (): Promise<BatcherCall> => {
    await waitUntil("the batcher has a call", async () => calls.length > 0);
    return calls.shift()!;
  };
  return {
    post,
    postLarge,
    next,
    /** Returns the call that is left, which the batcher has accepted. */
    refuseOneOfTwo: async () => {
      const first = postLarge();
      const call = await next();
      const refused = postLarge();
      (await next()).refuse();
      assert.equal((await refused).json().error, "queue_full");
      return { first, call };
    },
  };
}

type BatcherCall = { answer(): void; refuse(): void };
