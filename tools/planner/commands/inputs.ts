import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "@faceline/contracts/stored/profile";

/** Returns the lines of a file that are not empty. Throws an Error with a sentence where there are none. */
export function readLines(file: string): string[] {
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

/** The folder of the sample pictures. */
export const samplesFolder = join(import.meta.dirname, "../../../web/src/samples");

export function samplePhotographs(): Buffer[] {
  const names = readdirSync(samplesFolder).filter((name) => name.endsWith(".jpg"));
  return names.map((name) => readFileSync(join(samplesFolder, name)));
}

/** Then the calls are sent from the machine that is predicted, and take some of its CPU time. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

export const workersPerMachine = ({ lanes }: Profile): number =>
  Math.max(...lanes.map(({ contention }) => contention.length));
