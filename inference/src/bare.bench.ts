import { readFile } from "node:fs/promises";
import { LaneId } from "@faceline/contracts/wire/ids";
import { Decoder } from "./decode/decoder.ts";
import { type Picture, pictureLimits } from "./decode/picture.ts";
import { PixelRooms } from "./decode/pixel-rooms.ts";
import { openLanes } from "./engine/lanes.ts";
import { PrecisionWishes } from "./engine/precision.ts";

// The engine bare: no HTTP, no Kafka, no Redis, no thread of its own. A benchmark starts this as a process and asks it
// for rounds, in turn with rounds of the whole service, on the same cores:
//
//     bare.bench.ts LANE INTRA_OP_THREADS every | clear PICTURE…   ──► { ready }
//     { call: 3 }      picture 3, decode and run          ──► { tookMs, decodeMs }
//     { loop: 40 }     40, the next is decoded meanwhile  ──► { tookMs }

const [, , laneName = "", threads = "1", wanted, ...files] = process.argv;
const lane = LaneId.parse(laneName);
const pictures = await Promise.all(files.map((file) => readFile(file)));
const decoder = new Decoder({ decodesMax: 2, ...pictureLimits });
const rooms = new PixelRooms({ batchMax: 1, ...pictureLimits });
const lanes = await openLanes({
  modelsDir: process.env["MODELS_DIR"]!,
  lanes: [lane],
  executionProvider: "cpu",
  intraOpThreads: Number(threads),
  precision: PrecisionWishes.parse("auto"),
  batchMax: 4,
  detectorChunkMax: 4,
  faceChunkMax: 16,
  residualMaxPx: 6,
});

/** Every face, as /represent; or the largest of the clear ones. */
const fullResolution = wanted === "every";
const options = { align: true, enforceDetection: true, facesMax: fullResolution ? 100 : 1, fullResolution };

const decode = async (index: number): Promise<Decoded> => {
  const room = await rooms.take();
  const picture = await decoder.decode(pictures[index % pictures.length]!, room);
  if (picture.kind === "rejected") throw new Error(`${files[index % files.length]} is no picture`);
  return { picture, room };
};

const run = async ({ picture, room }: Decoded): Promise<void> => {
  const { results } = await lanes.run({ lane, pictures: [{ ...picture, options }] });
  room[Symbol.dispose]();
  if (results[0]?.kind !== "faces") throw new Error("a picture of the benchmark has no face");
};

async function call(index: number): Promise<Took> {
  const begunAt = performance.now();
  const decoded = await decode(index);
  const decodedAt = performance.now();
  await run(decoded);
  return { tookMs: performance.now() - begunAt, decodeMs: decodedAt - begunAt };
}

async function loop(count: number): Promise<Took> {
  const begunAt = performance.now();
  let next = decode(0);
  for (let index = 0; index < count; index++) {
    const decoded = await next;
    if (index + 1 < count) next = decode(index + 1);
    await run(decoded);
  }
  return { tookMs: performance.now() - begunAt };
}

process.on("message", (asked: { call?: number; loop?: number }) => {
  const round = asked.call === undefined ? loop(asked.loop!) : call(asked.call);
  void round.then((took) => process.send!(took));
});
process.once("disconnect", () => process.exit());
process.send!({ ready: true });

type Took = { tookMs: number; decodeMs?: number };

type Decoded = { picture: Picture; room: Disposable };
