import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { coreWaits } from "@faceline/runtime/starvation";
import { openLog } from "@faceline/runtime/log";
import type { Batch } from "@faceline/contracts/wire/batch";
import { DecodeTimeout, type Image } from "./decode/image.ts";
import { PixelBufferPool } from "./decode/pixel-buffers.ts";
import { openPreparation } from "./preparation.ts";

test("where one decode fails, the buffer is released after the others have stopped writing into it", async () => {
  const buffers = new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 1 });
  const slow = Promise.withResolvers<Image>();
  const decodes = [Promise.reject(new Error("the buffer is too small")), slow.promise];
  const prepare = openPreparation({ ...parts, buffers, decode: () => decodes.shift()! });
  const prepared = prepare(batchOfTwo).catch((error: Error) => error.message);
  let next: string | undefined;
  const acquired = buffers.acquire().then(() => {
    next = "acquired";
  });
  await setImmediate();
  assert.equal(next, undefined);
  slow.resolve(onePixel);
  assert.equal(await prepared, "the buffer is too small");
  await acquired;
});

test("an image that takes too long fails its own task, and the others run", async () => {
  const decodes = [Promise.reject(new DecodeTimeout(10_000)), Promise.resolve(onePixel)];
  const prepare = openPreparation({ ...parts, decode: () => decodes.shift()! });
  const prepared = await prepare(batchOfTwo);
  assert.deepEqual(
    [prepared.tasks.map(({ id }) => id), prepared.completed.map(({ task, outcome }) => [task.id, outcome])],
    [["2"], [["1", { kind: "failed", reason: "decode_timeout" }]]],
  );
});

test("a task whose image has gone was lost, unless it has ended: cancelled, or answered by another run", async () => {
  const lines: unknown[] = [];
  const info = ({ reason, request_id }: Record<string, unknown>) => void lines.push([request_id, reason]);
  const prepare = openPreparation({
    ...parts,
    images: { fetch: async () => ({ images: [null, null, null], [Symbol.dispose]() {} }) },
    taskEnds: async (tasks) => {
      assert.deepEqual(tasks, ["left/n/0", "again/n/0", "lost/n/0"]);
      return ["cancelled", "superseded", undefined];
    },
    log: Object.assign(openLog("test", "silent"), { info }),
  });
  const tasks = ["left/n/0", "again/n/0", "lost/n/0"].map((id) => ({ ...batchOfTwo.tasks[0]!, id }));
  const prepared = await prepare({ ...batchOfTwo, tasks } as Batch);
  prepared.release();
  assert.deepEqual(
    prepared.completed.map(({ task, outcome }) => [task.id, outcome]),
    [["lost/n/0", { kind: "failed", reason: "image_lost" }]],
  );
  assert.deepEqual(lines, [
    ["left", "cancelled"],
    ["again", "superseded"],
  ]);
});

test("a decoder hangs when none of its images is done for a while, however long the batch takes", async (t) => {
  const { images, hangs, prepared, pass } = await slowBatch(t);
  pass(10_000);
  images[0]!.resolve(onePixel);
  await setImmediate();
  pass(14_999);
  await setImmediate();
  assert.deepEqual(hangs, []);
  pass(1);
  await setImmediate();
  assert.deepEqual(hangs, ["no decode of a batch ended within 15000 ms; a decoder hangs"]);
  images[1]!.resolve(onePixel);
  assert.equal((await prepared).images.length, 2);
});

test("an image that took too long because its decoder had no core is shed", async (t) => {
  const { images, pass, prepared, waits } = await slowBatch(t);
  for (let second = 0; second < 10; second++) {
    waits.add(900);
    pass(1_000);
  }
  images[0]!.reject(new DecodeTimeout(10_000));
  await setImmediate();
  images[1]!.resolve(onePixel);
  const [end] = (await prepared).completed;
  assert.ok(end?.outcome.kind === "shed");
  assert.deepEqual([end.outcome.reason, end.outcome.retryAfterMs], ["deadline_infeasible", 4_000]);
});

test("a draft is enough for a call that wants one clear face, and its image stays until the batch ends", async () => {
  const buffers = new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 1 });
  const details: string[] = [];
  let zeroed = 0;
  const prepare = openPreparation({
    ...parts,
    buffers,
    images: {
      fetch: async (ids) => ({ images: ids.map((id) => Buffer.from(id)), [Symbol.dispose]: () => zeroed++ }),
    },
    decode: async (bytes, buffer, detail) => {
      details.push(`${String(bytes)} ${detail}`);
      return { ...onePixel, pixels: buffer.allocate(300)!.fill(7), isDraft: detail === "draft" };
    },
  });
  const prepared = await prepare(batchOfTwo);
  assert.deepEqual(details, ["1 draft", "2 full"]);
  assert.equal(zeroed, 0);
  const [full] = await prepared.decodeInFull([0]);
  assert.deepEqual(details.slice(2), ["1 full"]);
  assert.ok(full !== undefined && "pixels" in full && !full.options.fullResolution);
  assert.equal(prepared.images[1]!.pixels[0], 0, "pixels of the first run are gone");
  prepared.release();
  assert.equal(zeroed, 1);
  assert.equal(full.pixels[0], 0);
});

test("images are zeroed once they are decoded where no image is a draft", async () => {
  let zeroed = 0;
  const prepare = openPreparation({
    ...parts,
    images: {
      fetch: async (ids) => ({ images: ids.map(() => Buffer.alloc(1)), [Symbol.dispose]: () => zeroed++ }),
    },
  });
  await prepare(batchOfTwo);
  assert.equal(zeroed, 1);
});

/** A batch of two images in simulated time. `waits.add`: all threads have had no core for so long. */
async function slowBatch(t: TestContext) {
  let now = 0;
  let waitedMs = 0;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => now);
  t.mock.method(coreWaits, "allThreads", () => new Map([["1", waitedMs]]));
  const images = [Promise.withResolvers<Image>(), Promise.withResolvers<Image>()];
  const decodes = images.map(({ promise }) => promise);
  const hangs: string[] = [];
  const prepare = openPreparation({
    ...parts,
    buffers: new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 1 }),
    decode: () => decodes.shift()!,
    onHang: ({ message }) => hangs.push(message),
  });
  const prepared = prepare(batchOfTwo);
  await setImmediate();
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed++) {
      now++;
      t.mock.timers.tick(1);
    }
  };
  return { images, hangs, prepared, pass, waits: { add: (ms: number) => (waitedMs += ms) } };
}

const onePixel: Image = {
  kind: "image",
  pixels: new Uint8Array(3),
  width: 1,
  height: 1,
  originalWidth: 1,
  originalHeight: 1,
};

const parts: Parameters<typeof openPreparation>[0] = {
  buffers: new PixelBufferPool({ batchMax: 2, longSideMaxPx: 10, buffersMax: 2 }),
  images: {
    fetch: async (ids) => ({ images: ids.map(() => Buffer.alloc(1)), [Symbol.dispose]() {} }),
  },
  decode: async () => onePixel,
  clock: { now: () => 0 },
  taskEnds: async () => assert.fail("every image is there"),
  log: openLog("test", "silent"),
  decodeStallMs: 15_000,
  onHang: ({ message }) => assert.fail(message),
};

const traceparent = `00-${"1".repeat(32)}-${"1".repeat(16)}-00`;
const batchOfTwo = {
  id: "a",
  tasks: [
    { id: "1", traceparent, deadlineAt: 10, options: { align: true, fullResolution: false } },
    { id: "2", traceparent, deadlineAt: 10, options: { align: true, fullResolution: true } },
  ],
} as unknown as Batch;
