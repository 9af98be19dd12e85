import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { SlabPool } from "../memory/slab-pool.ts";
import { collectBody } from "./collect.ts";

const bytesMax = 2 ** 20;

test("a body is the bytes that have come, in whatever pieces", async () => {
  const body = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
  for (const piece of [1_000, 65_536, 300_000, 700_000]) {
    for (const contentLength of [body.length, Number.NaN]) {
      const pool = new SlabPool();
      const { payload, collected } = collect(pool, contentLength);
      for (let at = 0; at < body.length; at += piece) payload.write(body.subarray(at, at + piece));
      payload.end();
      const { bytes, slab } = await collected;
      assert.ok(bytes.equals(body));
      assert.equal(slab === undefined, piece === body.length);
      slab?.release();
      assert.ok(bytes.every((byte, i) => byte === (slab === undefined ? body[i] : 0)));
    }
  }
  const { payload, collected } = collect(new SlabPool(), Number.NaN);
  payload.end();
  assert.equal((await collected).bytes.length, 0);
});

test("memory is taken for what has come, not for what was announced", async () => {
  const taken: number[] = [];
  const pool = new SlabPool();
  pool.take = (bytes) => {
    taken.push(bytes);
    return SlabPool.prototype.take.call(pool, bytes);
  };
  const { payload, collected } = collect(pool, bytesMax);
  for (const piece of [1_000, 1_000, 80_000, 600_000, bytesMax - 682_000]) {
    payload.write(Buffer.alloc(piece));
    await new Promise(setImmediate);
  }
  payload.end();
  (await collected).slab!.release();
  assert.deepEqual(taken, [16_000, 656_000]);
  assert.equal(pool.idleBytes, bytesMax + 64 * 1024);
});

test("a body that is too long, too short or broken off is refused as by Fastify, and its memory is free", async () => {
  const cases: [string, number, (payload: PassThrough) => void][] = [
    ["request_too_large", Number.NaN, (payload) => payload.write(Buffer.alloc(bytesMax))],
    ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", 200_001, (payload) => payload.end()],
    ["ECONNRESET", 300_000, (payload) => payload.destroy(Object.assign(new Error(), { code: "ECONNRESET" }))],
  ];
  for (const [code, contentLength, end] of cases) {
    const pool = new SlabPool();
    const { payload, collected } = collect(pool, contentLength);
    payload.on("error", () => {});
    for (let i = 0; i < 2; i++) payload.write(Buffer.alloc(100_000));
    end(payload);
    await assert.rejects(collected, { code, ...(code.startsWith("FST") ? { statusCode: 400 } : {}) });
    assert.ok(pool.idleBytes > 0, code);
  }
  assert.throws(() => collect(new SlabPool(), bytesMax + 1), {
    code: "request_too_large",
    message: /has 1,\d{3},\d{3} bytes or more, and the limit is/,
  });

  const pool = new SlabPool();
  const { payload } = collect(pool, Number.NaN);
  for (let i = 0; i < 2; i++) payload.write(Buffer.alloc(100_000));
  await new Promise((resolve) => payload.destroy().once("close", resolve));
  assert.ok(pool.idleBytes > 0);
});

function collect(pool: SlabPool, contentLength: number) {
  const payload = new PassThrough({ highWaterMark: 2 * bytesMax });
  return { payload, collected: collectBody(payload, { contentLength, bytesMax, pool }) };
}
