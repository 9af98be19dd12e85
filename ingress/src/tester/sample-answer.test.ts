import assert from "node:assert/strict";
import { test } from "node:test";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { facesAnswer, testNow, testPool, testServer } from "../../testing/server.ts";
import { ApiError } from "../call/api-error.ts";

const url = "/tester/sample-answer";

test("the answer for the first two samples is computed by the workers, twice for all readers, and the second one is kept", async (t) => {
  const answered = Promise.withResolvers<void>();
  const { app, dispatched } = testServer(t, {
    dispatch: async ({ images }) => {
      await answered.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const readers = Array.from({ length: 5 }, () => app.inject(url));
  await Promise.race([...readers, new Promise(setImmediate)]);
  answered.resolve();
  for (const response of [...(await Promise.all(readers)), await app.inject(url)]) {
    assert.equal(response.statusCode, 200, response.body);
    assert.equal(response.headers["cache-control"], "no-store");
    const { request, samples, response: verifyResponse, timing } = response.json();
    assert.deepEqual(request, { model_name: "SFace", detector_backend: "auto", distance_metric: "cosine" });
    assert.deepEqual(samples, ["dia-1", "dia-2"]);
    assert.deepEqual([VerifyResponse.parse(verifyResponse).verified, verifyResponse.distance], [true, 0]);
    assert.match(timing, /^admission;dur=.*total;dur=/);
  }
  assert.equal(dispatched.length, 2);
  const [{ tenant, images, deadlineAt, arrivedAt }] = dispatched as [(typeof dispatched)[number]];
  assert.equal(tenant, visitorsTenant);
  assert.deepEqual([images.length, deadlineAt - arrivedAt], [2, 15_000]);
});

test("the time that a reader sees is that of the second computation", async (t) => {
  let now = testNow;
  const { app, dispatched } = testServer(t, {
    clock: { now: () => now },
    dispatch: async ({ images }) => {
      now += dispatched.length === 1 ? 900 : 40;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  assert.match((await app.inject(url)).json().timing, /total;dur=40\.00/);
});

test("nothing is computed before somebody asks", async (t) => {
  const { app, dispatched } = testServer(t);
  await app.inject("/");
  assert.equal(dispatched.length, 0);
});

test("another build of the default model or detector has its own answer", async (t) => {
  let digest = "a";
  const { app, dispatched } = testServer(t, { poolStates: () => [poolWith(digest)] });
  for (const [running, computed] of [
    ["a", 2],
    ["a", 2],
    ["b", 4],
    ["b", 4],
  ] as const) {
    digest = running.repeat(16);
    assert.equal((await app.inject(url)).statusCode, 200);
    assert.equal(dispatched.length, computed, running);
  }
});

test("a failure is what a call would get, and is tried again after its Retry-After, not before", async (t) => {
  let now = testNow;
  let error: ApiError | undefined = new ApiError("model_unavailable", "No worker.", { retryAfterMs: 3_000 });
  const { app, dispatched } = testServer(t, {
    clock: { now: () => now },
    reportBug: assert.fail,
    dispatch: async ({ images }) => {
      if (error !== undefined) throw error;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const read = async () => {
    const response = await app.inject(url);
    return [response.statusCode, response.json().error, response.headers["retry-after"], dispatched.length];
  };
  assert.deepEqual(await read(), [503, "model_unavailable", "3", 1]);
  now += 1_500;
  assert.deepEqual(await read(), [503, "model_unavailable", "2", 1]);
  error = undefined;
  now += 1_500;
  assert.deepEqual(await read(), [200, undefined, undefined, 3]);
});

test("the answer is there again when its build is, without another computation", async (t) => {
  let pools: PoolState[] = [testPool];
  let fails = false;
  const { app, dispatched } = testServer(t, {
    poolStates: () => pools,
    dispatch: async ({ images }) => {
      if (fails) throw new ApiError("model_unavailable", "No worker.", { retryAfterMs: 3_000 });
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  assert.equal((await app.inject(url)).statusCode, 200);
  pools = [];
  fails = true;
  assert.equal((await app.inject(url)).statusCode, 503);
  pools = [testPool];
  assert.equal((await app.inject(url)).statusCode, 200);
  assert.equal(dispatched.length, 3);
});

test("a bug is reported once, and readers get internal_error", async (t) => {
  const bugs: unknown[] = [];
  const { app } = testServer(t, {
    dispatch: () => Promise.reject(new TypeError("a bug")),
    reportBug: (error) => bugs.push(error),
  });
  for (let reader = 0; reader < 3; reader++) {
    const response = await app.inject(url);
    assert.deepEqual([response.statusCode, response.json().error], [500, "internal_error"]);
  }
  assert.equal(bugs.length, 1);
});

test("its requests are recorded as those of POST /tester/verify", async (t) => {
  const ended: unknown[] = [];
  const { app } = testServer(t, { recordCall: ({ record, status }) => ended.push([record.route, status]) });
  await app.inject(url);
  const once = ["/tester/verify", 200];
  assert.deepEqual(ended, [once, once]);
});

function poolWith(digest: string): PoolState {
  const lanes = testPool.lanes.map((lane) => ({ ...lane, build: { ...lane.build!, digest } }));
  return { ...testPool, lanes };
}
