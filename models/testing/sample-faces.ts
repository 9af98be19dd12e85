import { readCatalogue } from "../src/catalogue.ts";
import * as ort from "../src/onnxruntime.ts";
import { builtModel } from "./built.ts";
import { openSamples, samplesCount } from "./images.ts";

/** The clearest face of each sample photograph, not aligned, on px by px pixels. */
export async function sampleFaces(px: number): Promise<Uint8Array[]> {
  const boxes = await (clearestBoxes ??= findClearestBoxes());
  return Promise.all(boxes.map((box, i) => openSamples()!.crop(i + 1, box, px)));
}

let clearestBoxes: Promise<Box[]> | undefined;

async function findClearestBoxes(): Promise<Box[]> {
  const ssd = (await readCatalogue()).find("detector", "ssd")!;
  const side = ssd.input_px;
  const session = await ort.createSession(await builtModel(ssd, { precision: "float32", input_px: side }));
  const found: Box[] = [];
  for (let sample = 1; sample <= samplesCount; sample++) {
    const whole = new Uint8Array(await openSamples()!.whole(sample, side));
    const outputs = await session.run({ image: new ort.Tensor("uint8", whole, [1, side, side, 3]) });
    const [boxes, scores] = ["boxes", "scores"].map((name) => outputs[name]!.data as Float32Array);
    const best = scores!.indexOf(Math.max(...scores!));
    const [top = 0, left = 0, bottom = 0, right = 0] = boxes!.subarray(4 * best, 4 * best + 4);
    found.push([top, left, bottom, right]);
  }
  await session.release();
  return found;
}

/** Top, left, bottom and right, as shares of the square of the photograph. */
type Box = [number, number, number, number];
