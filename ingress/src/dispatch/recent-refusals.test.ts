import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  answerWith,
  base64Image,
  facesAnswer,
  testKeyRecord,
  testNow,
  testServer,
} from "../../testing/server.ts";

const image = await base64Image();
const large = { img1: image, img2: await base64Image(64) };
const small = { img1: image, img2: image };

test("a team whose call was refused is refused again for a second, before the body is read", async (t) => {
  const { post, dispatched, refuse, pass } = server(t);
  refuse("queue_too_long");
  assert.deepEqual(await post("ants", large), [503, "queue_full"]);
  assert.deepEqual(await post("ants", large), [503, "queue_full"]);
  assert.equal(dispatched.length, 1);
  pass(1_000);
  assert.deepEqual(await post("ants", large), [503, "queue_full"]);
  assert.equal(dispatched.length, 2);
});

test("a smaller call, a call of another team, and one after that second are accepted", async (t) => {
  const { post, refuse, accept, pass } = server(t);
  refuse("queue_too_long");
  await post("ants", large);
  accept();
  assert.deepEqual(await post("ants", small), [200]);
  assert.deepEqual(await post("bees", large), [200]);
  assert.deepEqual(await post("ants", large), [503, "queue_full"]);
  pass(1_000);
  assert.deepEqual(await post("ants", large), [200]);
});

test("a refusal for a deadline is not remembered: the next call may have a longer one", async (t) => {
  const { post, dispatched, refuse } = server(t);
  refuse("deadline_infeasible");
  for (let calls = 0; calls < 2; calls++) assert.deepEqual(await post("ants", large), [503, "queue_timeout"]);
  assert.equal(dispatched.length, 2);
});

/** A server whose every key belongs to a team of its own, and whose workers accept or refuse. */
function server(t: TestContext) {
  let now = testNow;
  let reason: "queue_too_long" | "deadline_infeasible" | undefined;
  const answer = () =>
    reason === undefined
      ? facesAnswer([1, 0])
      : answerWith({ kind: "shed", reason, predictedMs: 9, retryAfterMs: 9 });
  const { post, dispatched } = testServer(t, {
    clock: { now: () => now },
    findKey: async (sha256) => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team: sha256 } }),
    dispatch: async ({ images }) => images.map(answer),
  });
  return {
    dispatched,
    post: async (key: string, body: object) => {
      const reply = await post("/verify", body, { "x-api-key": key });
      const { error } = reply.json() as { error?: string };
      return error === undefined ? [reply.statusCode] : [reply.statusCode, error];
    },
    refuse: (why: NonNullable<typeof reason>) => void (reason = why),
    accept: () => void (reason = undefined),
    pass: (ms: number) => void (now += ms),
  };
}
