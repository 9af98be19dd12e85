import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import sharp from "sharp";
import { repository } from "@faceline/deploy/launcher/state-folder";

/**
 * Folder of labelled photographs that may be used and not be copied, so they are not in the repository:
 * FACELINE_TEST_FACES, relative to the repository. `master.csv` in it has lines "first file,second file,Yes
 * or No".
 */
export const facesFolder = resolve(repository, process.env["FACELINE_TEST_FACES"] || "../shared/data/faces");

/** Value for the `skip` of a test: false if the labelled photographs are there, else the reason. */
export const withoutFaces: string | false =
  !existsSync(join(facesFolder, "master.csv")) &&
  `NOT CHECKED with labelled photographs: ${facesFolder} has no master.csv (set FACELINE_TEST_FACES)`;

/** Photographs of the models' npm package, always present: `sample1.jpg` to `sample6.jpg`. */
export const samplesFolder = join(
  dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json")),
  "demo",
);

/** Square crops of the samples, in pixels, with one face each: three people. */
export const portraitCrops = [
  { file: "sample1.jpg", left: 1350, top: 120, width: 440, height: 440 },
  { file: "sample2.jpg", left: 1320, top: 80, width: 440, height: 440 },
  { file: "sample6.jpg", left: 160, top: 430, width: 440, height: 440 },
] as const;

/** The three portraits as JPEG, 200 pixels wide: quick to send, to decode and to detect. */
export const portraits = (): Promise<Buffer[]> =>
  Promise.all(portraitCrops.map((each) => cropJpeg(each, 200)));

/** Two people: a large face in 1,200 x 900 pixels, and a passer-by whose face is about 75 pixels wide. */
export async function portraitWithPasserBy(): Promise<Buffer> {
  const [large, small] = await Promise.all([
    cropJpeg(portraitCrops[0], 800),
    cropJpeg(portraitCrops[1], 150),
  ]);
  return sharp({ create: { width: 1_200, height: 900, channels: 3, background: "#7c8a91" } })
    .composite([
      { input: large, left: 50, top: 50 },
      { input: small, left: 950, top: 500 },
    ])
    .jpeg()
    .toBuffer();
}

const cropJpeg = ({ file, ...area }: (typeof portraitCrops)[number], sidePx: number): Promise<Buffer> =>
  sharp(join(samplesFolder, file)).extract(area).resize(sidePx).jpeg().toBuffer();

/** All labelled pairs of master.csv. Its lines end with CRLF, the last one with LF. */
export function labelledPairs(): LabelledPair[] {
  const [, ...lines] = readFileSync(join(facesFolder, "master.csv"), "utf8").trim().split(/\r?\n/);
  return lines.map((line) => {
    const [first = "", second = "", decision = ""] = line.split(",").map((field) => field.trim());
    if (decision !== "Yes" && decision !== "No") throw new Error(`master.csv: ${line}`);
    return { first, second, samePerson: decision === "Yes" };
  });
}

export type LabelledPair = { first: string; second: string; samePerson: boolean };
