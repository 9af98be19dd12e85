import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./state-folder.ts";

/** Images of people who do not exist; LICENCE.md beside them says where they come from. */
const samplesFolder = join(repository, "web", "src", "samples");

/**
 * Writes images to try the service with, two of one person and one of another, and returns the file with
 * the body of a /verify call for the first two.
 */
export function writeSamples(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of [first, second, otherPerson])
    copyFileSync(join(samplesFolder, name), join(folder, name));

  const [img1, img2] = [first, second].map((name) => readFileSync(join(folder, name), "base64"));
  const body = join(folder, "verify.json");
  writeFileSync(body, JSON.stringify({ img1, img2 }));
  return body;
}

const first = "dia-1.jpg";
const second = "dia-2.jpg";
const otherPerson = "chi-1.jpg";
