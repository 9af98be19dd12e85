import { join } from "node:path";
import type { Model } from "../catalogue-entry.ts";
import { checkWithin } from "../contract/bounded-check.ts";
import { readOnnxFile } from "../contract/onnx-file.ts";
import type { Published } from "../contract/read-contract.ts";
import { download, type PullOptions } from "../download/download.ts";
import { readFromMirror } from "../download/mirror.ts";

/**
 * Fetches the file of a model of another publisher, or takes it from a mirror folder, and adds it by its
 * contract. Throws one sentence: then nothing was installed.
 */
export async function pullPublished(
  folder: string,
  { contract, licenceText, download: wanted }: Published,
  { from, print, ...options }: Omit<PullOptions, "limits"> & { bytesMax: number },
): Promise<Model> {
  // Loads onnxruntime, which nothing else of `npm run models` needs.
  const { addModel } = await import("../contract/add.ts");
  const add = (onnx: Buffer): Promise<Model> =>
    addModel(folder, onnx, { contract, licenceText }, checkWithin, print);
  try {
    if (from !== undefined) {
      print(`taking ${contract.name} from ${from}`);
      return await add(await readFromMirror(from, wanted, options.bytesMax));
    }
    print(`fetching ${wanted.url}`);
    const part = await download(wanted, { ...options, folder: join(folder, "parts") });
    try {
      return await add(await readOnnxFile(part.path, options.bytesMax));
    } finally {
      await part.remove();
    }
  } catch (cause) {
    throw new Error(`${contract.name}: ${(cause as Error).message} Nothing was installed.`, { cause });
  }
}
