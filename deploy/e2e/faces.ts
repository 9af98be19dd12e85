import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import sharp from "sharp";
import { repository } from "../launcher/state-folder.ts";

/** Photographs that may be used and not be copied: beside the repository, where somebody has laid them. */
export const facesFolder = resolve(repository, "../shared/data/faces");

/** For the `skip` of a test that needs them: it is skipped with this sentence where they are not. */
export const withoutFaces: string | false =
  !existsSync(join(facesFolder, "master.csv")) && "there is no ../shared/data/faces beside the repository";

/** What comes with the models' npm package, and so is always there: `sample1.jpg` to `sample6.jpg`. */
export const samplesFolder = join(
  dirname(createRequire(import.meta.url).resolve("@vladmandic/face-api/package.json")),
  "demo",
);

/** One face each, of three people, 200 pixels wide: quick to send, to decode and to look through. */
export const portraits = (): Promise<Buffer[]> => Promise.all(cuts.map((each) => cut(each, 200)));

/** Two people: one large in 1,200 x 900 pixels, the other a passer-by whose face is some 75 pixels wide. */
export async function withPasserBy(): Promise<Buffer> {
  const [large, small] = await Promise.all([cut(cuts[0]!, 800), cut(cuts[1]!, 150)]);
  return sharp({ create: { width: 1_200, height: 900, channels: 3, background: "#7c8a91" } })
    .composite([
      { input: large, left: 50, top: 50 },
      { input: small, left: 950, top: 500 },
    ])
    .jpeg()
    .toBuffer();
}

const cut = ({ file, left, top }: Cut, side: number): Promise<Buffer> =>
  sharp(join(samplesFolder, file))
    .extract({ left, top, width: 440, height: 440 })
    .resize(side)
    .jpeg()
    .toBuffer();

type Cut = { file: string; left: number; top: number };

const cuts: readonly Cut[] = [
  { file: "sample1.jpg", left: 1350, top: 120 },
  { file: "sample2.jpg", left: 1320, top: 80 },
  { file: "sample6.jpg", left: 160, top: 430 },
];

/** Every labelled pair of master.csv. Its lines end with CRLF, the last one with LF. */
export function labelledPairs(): LabelledPair[] {
  const [, ...lines] = readFileSync(join(facesFolder, "master.csv"), "utf8").trim().split(/\r?\n/);
  return lines.map((line) => {
    const [first = "", second = "", decision = ""] = line.split(",").map((field) => field.trim());
    if (decision !== "Yes" && decision !== "No") throw new Error(`master.csv: ${line}`);
    return { first, second, samePerson: decision === "Yes" };
  });
}

export type LabelledPair = { first: string; second: string; samePerson: boolean };
