import { readFile } from "node:fs/promises";
import { LaneId } from "@faceline/contracts/wire/ids";
import { Decoder } from "@faceline/inference/decode/decoder";
import { defaultImageLimits, type Image } from "@faceline/inference/decode/image";
import { PixelBufferPool } from "@faceline/inference/decode/pixel-buffers";
import { openLanes } from "@faceline/inference/engine/lanes";
import { PrecisionSetting } from "@faceline/inference/network/precision";

// The engine alone: no HTTP, no Kafka, no Redis, no thread of its own. A benchmark starts this as a process
// and asks it for calls, alternating with those of the whole service on the same cores:
//
//     engine.bench.ts LANE INTRA_OP_THREADS IMAGE…   ──► { ready }
//     { call: 3 }      image 3, decode and run       ──► { tookMs, decodeMs }

const [, , laneName = "", threads = "1", ...files] = process.argv;
const lane = LaneId.parse(laneName);
const images = await Promise.all(files.map((file) => readFile(file)));
const decoder = new Decoder({ decodesMax: 2, ...defaultImageLimits });
const buffers = new PixelBufferPool({ batchMax: 1, buffersMax: 1, ...defaultImageLimits });
const lanes = await openLanes({
  modelsDir: process.env["MODELS_DIR"]!,
  lanes: [lane],
  executionProvider: "cpu",
  intraOpThreads: Number(threads),
  precision: PrecisionSetting.parse("auto"),
  batchMax: 4,
  detectorChunkMax: 4,
  faceChunkMax: 16,
});

/** Every face, as in a call of /represent. */
const options = { align: true, enforceDetection: true, facesMax: 100, fullResolution: true };

const decode = async (index: number): Promise<Decoded> => {
  const buffer = await buffers.acquire();
  const image = await decoder.decode(images[index % images.length]!, buffer);
  if (image.kind === "rejected") throw new Error(`${files[index % files.length]} cannot be decoded`);
  return { image, buffer };
};

const run = async ({ image, buffer }: Decoded): Promise<void> => {
  const { results } = await lanes.run({ lane, images: [{ ...image, options }] });
  buffer[Symbol.dispose]();
  if (results[0]?.kind !== "faces") throw new Error("an image of the benchmark shows no face");
};

async function call(index: number): Promise<Took> {
  const startedAt = performance.now();
  const decoded = await decode(index);
  const decodedAt = performance.now();
  await run(decoded);
  return { tookMs: performance.now() - startedAt, decodeMs: decodedAt - startedAt };
}

process.on("message", (request: { call: number }) => {
  void call(request.call).then((took) => process.send!(took));
});
process.once("disconnect", () => process.exit());
process.send!({ ready: true });

type Took = { tookMs: number; decodeMs: number };

type Decoded = { image: Image; buffer: Disposable };
