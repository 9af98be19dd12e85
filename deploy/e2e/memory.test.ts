import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { RepresentReply } from "@faceline/contracts/http/represent";
import { readConfig } from "@faceline/contracts/runtime/config";
import { readMessage } from "@faceline/contracts/runtime/message";
import { subscribe, VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import sharp, { type Sharp } from "sharp";
import { samplesFolder } from "./faces.ts";
import { Imprints, withoutMemory } from "./memory-search.ts";
import { type Stack, stack } from "./stack.ts";

// What a worker still holds of pictures when it has answered them. glibc is told to overwrite what is freed, and to keep
// nothing back from that: what is found then is memory in use that was not zeroed. What becomes of freed memory
// otherwise: DECISIONS 35.
const settings = {
  GLIBC_TUNABLES: "glibc.malloc.perturb=1:glibc.malloc.tcache_count=0",
  // The worker stands still while it is searched.
  KAFKA_SESSION_MS: "30000",
};

test("no picture's bytes outlive its batch in a worker", { skip: withoutMemory }, async (t) => {
  const running = await stack(t, { settings });
  const worker = running.services.find("inference-1").pid!;
  const pictures = await Promise.all([noisyPng(0), noisyJpeg(1), noisyWebp(2)]);
  const imprints = new Imprints();
  for (const { bytes, pixels } of pictures) {
    // What opens a file is the same in many. The end of what came last stays where Node reads to, until more has come.
    imprints.add("bytes", bytes.subarray(1_024, -readBytes));
    imprints.add("pixels", pixels);
    imprints.add("planes", planesOf(pixels));
    for (const offset of [0, 3, rowBytes, rowBytes + 3]) imprints.add("halved", halvedFrom(pixels, offset));
  }

  for (const { bytes } of pictures) {
    for (const numbers of await embeddings(running, bytes)) imprints.add("embedding", bytesOf(numbers));
    // At once: what was dropped unzeroed would be overwritten too, when V8 collects it.
    assert.deepEqual(imprints.searchIn(worker), {});
  }

  await t.test("and the search finds them while they are needed", async (t) => {
    await using reports = await hearReports(running.pool);
    t.after(() => process.kill(worker, "SIGCONT"));
    const missing = new Set(["bytes", "pixels"]);
    for (let tries = 0; tries < triesMax && missing.size > 0; tries++) {
      const heard = once(reports.events, missing.has("pixels") ? "running" : "staged");
      // How it ends does not matter here: a worker that stands still for a second counts as dead.
      const call = running.post("/represent", {
        img: pictures[tries % pictures.length]!.bytes.toString("base64"),
      });
      await heard;
      process.kill(worker, "SIGSTOP");
      for (const name of Object.keys(imprints.searchIn(worker))) missing.delete(name);
      process.kill(worker, "SIGCONT");
      await call;
    }
    assert.deepEqual([...missing], []);
  });
});

async function embeddings({ post }: Stack, bytes: Buffer): Promise<number[][]> {
  const reply = await post("/represent", { img: bytes.toString("base64") });
  return RepresentReply.parse(reply.body).results.map(({ embedding }) => embedding as number[]);
}

/** Tells when the pool's worker has a batch `staged`, and when one is `running`. */
async function hearReports(pool: string): Promise<AsyncDisposable & { events: EventEmitter }> {
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

/** A face in noise, one of three: every few bytes of it are like nobody else's. As large as the detector sees it. */
async function noisy(index: number): Promise<Sharp> {
  const { file, left, top } = cuts[index]!;
  const cut = { left, top, width: 440, height: 440 };
  const face = await sharp(join(samplesFolder, file)).extract(cut).resize(sidePx).raw().toBuffer();
  const noise = randomBytes(face.length);
  const pixels = face.map((value, i) => 16 + Math.floor(0.8 * value) + (noise[i]! >> 4));
  return sharp(pixels, { raw: { width: sidePx, height: sidePx, channels: 3 } });
}

const noisyPng = async (index: number) => encoded((await noisy(index)).png());
const noisyJpeg = async (index: number) =>
  encoded((await noisy(index)).jpeg({ quality: 95, chromaSubsampling: "4:4:4" }));
const noisyWebp = async (index: number) => encoded((await noisy(index)).webp({ lossless: true }));

async function encoded(picture: Sharp): Promise<{ bytes: Buffer; pixels: Buffer }> {
  const bytes = await picture.toBuffer();
  return { bytes, pixels: await sharp(bytes).raw().toBuffer() };
}

/** Red, green and blue apart, as networks have them. */
const planesOf = (pixels: Buffer): Buffer =>
  Buffer.concat([0, 1, 2].map((colour) => pixels.filter((_, i) => i % 3 === colour)));

/** Means of 2 x 2 pixels, as what is much larger than its crop is halved first. */
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

const cuts = [
  { file: "sample1.jpg", left: 1350, top: 120 },
  { file: "sample2.jpg", left: 1320, top: 80 },
  { file: "sample6.jpg", left: 160, top: 430 },
];
const sidePx = 512;
const rowBytes = 3 * sidePx;
const readBytes = 64 * 1_024;
const triesMax = 40;
