import { readFile } from "node:fs/promises";
import { LaneId } from "@faceline/contracts/wire/ids";
import { Decoder } from "@faceline/inference/decode/decoder";
import { defaultImageLimits } from "@faceline/inference/decode/image";
import { PixelBufferPool } from "@faceline/inference/decode/pixel-buffers";
import { openLanes } from "@faceline/inference/engine/lanes";
import { PrecisionSetting } from "@faceline/inference/network/precision";

// The engine alone, with one lane in one thread: decodes and runs some images, says that it is ready, and
// stays until its channel is closed, so that a benchmark can measure its memory.
//
//     engine.bench.ts LANE IMAGE…   ──► { ready }

const [, , laneName = "", ...files] = process.argv;
const lane = LaneId.parse(laneName);
const decoder = new Decoder({ decodesMax: 2, ...defaultImageLimits });
const buffers = new PixelBufferPool({ batchMax: 1, buffersMax: 1, ...defaultImageLimits });
const lanes = await openLanes({
  modelsDir: process.env["MODELS_DIR"]!,
  lanes: [lane],
  executionProvider: "cpu",
  intraOpThreads: 1,
  precision: PrecisionSetting.parse("auto"),
  batchMax: 4,
  detectorChunkMax: 4,
  faceChunkMax: 16,
});

/** Every face, as in a call of /represent. */
const options = { align: true, enforceDetection: true, facesMax: 100, fullResolution: true };

for (const file of files) {
  using buffer = await buffers.acquire();
  const image = await decoder.decode(await readFile(file), buffer);
  if (image.kind === "rejected") throw new Error(`${file} cannot be decoded`);
  const { results } = await lanes.run({ lane, images: [{ ...image, options }] });
  if (results[0]?.kind !== "faces") throw new Error("an image of the benchmark shows no face");
}

process.once("disconnect", () => process.exit());
process.send!({ ready: true });
