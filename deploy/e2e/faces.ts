import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { repository } from "../src/state-folder.ts";

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
