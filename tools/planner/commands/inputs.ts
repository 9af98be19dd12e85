import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the lines of a file that are not empty. Throws an Error with a sentence if there are none. */
function readLines(file: string): string[] {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) throw new Error(`${file} is empty.`);
  return lines;
}

/** Returns the operators' token; undefined without the option. */
export const tokenOf = ({ "token-file": file }: { "token-file"?: string | undefined }): string | undefined =>
  file === undefined ? undefined : readLines(file)[0];

/** The folder of the sample images. */
export const samplesFolder = join(import.meta.dirname, "../../../web/src/samples");

/** Reads the JPEGs of a folder, at most 100. */
export function readImages(folder: string): Buffer[] {
  const names = readdirSync(folder).filter((name) => /\.jpe?g$/i.test(name));
  if (names.length === 0) throw new Error(`${folder} has no JPEG images.`);
  return names.slice(0, imagesMax).map((name) => readFileSync(join(folder, name)));
}

const imagesMax = 100;
