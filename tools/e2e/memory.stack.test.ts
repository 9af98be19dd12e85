import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { readConfig } from "@faceline/runtime/config";
import { readMessage } from "@faceline/runtime/message";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import sharp, { type Sharp } from "sharp";
import { portraitCrops, samplesFolder } from "@faceline/testing/faces";
import { MemorySearch, memorySearchUnavailable } from "./stack/memory-search.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

// What a worker still holds of images after it has answered. glibc is set to overwrite freed memory,
// without its cache of small blocks, so whatever is found is memory in use that was not zeroed. Decision 35
// says what happens to freed memory without these settings.
const settings = {
  GLIBC_TUNABLES: "glibc.malloc.perturb=1:glibc.malloc.tcache_count=0",
  // The worker is stopped while its memory is searched.
  KAFKA_SESSION_MS: "30000",
};

test("no image's bytes outlive its batch in a worker", { skip: memorySearchUnavailable }, async (t) => {
  const running = await startStack(t, { settings });
  const worker = running.services.find("inference-1").pid!;
  const images = await Promise.all([noisyPng(0), noisyJpeg(1), noisyWebp(2)]);
  const search = new MemorySearch();
  for (const { bytes, pixels } of images) {
    // File headers are the same in many files. The end of the last image stays in Node's read buffer until
    // the next read.
    search.add("bytes", bytes.subarray(1_024, -readBytes));
    search.add("pixels", pixels);
    search.add("planes", planesOf(pixels));
    for (const offset of [0, 3, rowBytes, rowBytes + 3]) search.add("halved", halvedFrom(pixels, offset));
  }

  for (const { bytes } of images) {
    for (const numbers of await embeddings(running, bytes)) search.add("embedding", bytesOf(numbers));
    // Immediately: memory that was dropped without zeroing is also overwritten once V8 collects it.
    assert.deepEqual(search.searchIn(worker), {});
  }

  await t.test("the control: the search finds them while they are in use", async (t) => {
    await using reports = await watchReports(running.pool);
    t.after(() => process.kill(worker, "SIGCONT"));
    const notSeen = new Set(["bytes", "pixels"]);
    for (let tries = 0; tries < triesMax && notSeen.size > 0; tries++) {
      // Several batches, so that the worker still has some when its report arrives here. How the calls end
      // does not matter: a worker that stands still for a second counts as dead.
      const sent = Array.from({ length: callsPerTry }, (_, i) => images[i % images.length]!.bytes);
      const calls = Promise.all(
        sent.map((bytes) => running.postOnce("/represent", { img: bytes.toString("base64") })),
      );
      await eventOr(reports.events, notSeen.has("pixels") ? "running" : "staged", calls);
      process.kill(worker, "SIGSTOP");
      for (const name of Object.keys(search.searchIn(worker))) notSeen.delete(name);
      process.kill(worker, "SIGCONT");
      await calls;
    }
    assert.deepEqual([...notSeen], []);
  });
});

async function embeddings({ post }: TestStack, bytes: Buffer): Promise<number[][]> {
  const response = await post("/represent", { img: bytes.toString("base64") });
  return RepresentResponse.parse(response.body).results.map(({ embedding }) => embedding as number[]);
}

/**
 * Emits "staged" when the pool's worker reports a staged batch, and "running" when it reports a running one.
 */
async function watchReports(pool: string): Promise<AsyncDisposable & { events: EventEmitter }> {
  const events = new EventEmitter();
  const config = readConfig(VolatileRedisConfig, process.env);
  const subscription = await subscribe(config, [reportsChannel(pool)], (message) => {
    const report = readMessage(Report, message);
    if (!report.ok) return;
    if (report.value.staged.length > 0) events.emit("staged");
    if (report.value.running !== null) events.emit("running");
  });
  return { events, [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose]() };
}

/**
 * One of three faces with noise, so that any few bytes of it are unique. As large as the detector's input.
 */
async function noisy(index: number): Promise<Sharp> {
  const { file, ...area } = portraitCrops[index]!;
  const face = await sharp(join(samplesFolder, file)).extract(area).resize(sidePx).raw().toBuffer();
  const noise = randomBytes(face.length);
  const pixels = face.map((value, i) => 16 + Math.floor(0.8 * value) + (noise[i]! >> 4));
  return sharp(pixels, { raw: { width: sidePx, height: sidePx, channels: 3 } });
}

const noisyPng = async (index: number) => encoded((await noisy(index)).png());
const noisyJpeg = async (index: number) =>
  encoded((await noisy(index)).jpeg({ quality: 95, chromaSubsampling: "4:4:4" }));
const noisyWebp = async (index: number) => encoded((await noisy(index)).webp({ lossless: true }));

async function encoded(image: Sharp): Promise<{ bytes: Buffer; pixels: Buffer }> {
  const bytes = await image.toBuffer();
  return { bytes, pixels: await sharp(bytes).raw().toBuffer() };
}

/** Planar red, green and blue, as in the networks' inputs. */
const planesOf = (pixels: Buffer): Buffer =>
  Buffer.concat([0, 1, 2].map((colour) => pixels.filter((_, i) => i % 3 === colour)));

/** Means of 2 x 2 pixels: a face that is much larger than its crop is halved first. */
function halvedFrom(pixels: Buffer, offset: number): Buffer {
  const means: number[] = [];
  for (let y = 0; y < sidePx - 2; y += 2) {
    for (let at = 0; at < rowBytes - 6; at += 6) {
      for (let colour = 0; colour < 3; colour++) {
        const i = offset + y * rowBytes + at + colour;
        const four = pixels[i]! + pixels[i + 3]! + pixels[i + rowBytes]! + pixels[i + rowBytes + 3]!;
        means.push((four + 2) >> 2);
      }
    }
  }
  return Buffer.from(means);
}

const bytesOf = (numbers: number[]) => new Uint8Array(Float32Array.from(numbers).buffer);

const sidePx = 512;
const rowBytes = 3 * sidePx;
const readBytes = 64 * 1_024;
const callsPerTry = 12;
const triesMax = 40;

/**
 * Waits for an event or for the end of `other`, whichever comes first, and listens no longer then. Throws if
 * `other` fails first.
 */
async function eventOr(events: EventEmitter, name: string, other: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const event = once(events, name, { signal: waiting.signal });
  // Its abort below is not a failure.
  event.catch(() => {});
  try {
    await Promise.race([event, other]);
  } finally {
    waiting.abort();
  }
}
