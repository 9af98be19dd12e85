import assert from "node:assert/strict";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { madeUpPins, madeUpWheel } from "../../testing/made-up-wheel.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { zipOf } from "../../testing/zip.ts";
import { sha256 } from "../model-file.ts";
import type { Wheel } from "../download/wheel.ts";
import { cudaFolder } from "./cuda-folder.ts";
import type { CudaPins } from "./cuda-pins.ts";
import { cudaFaults, installCuda, removeCuda } from "./install.ts";

const [a, b] = [madeUpWheel("made-up-a"), madeUpWheel("made-up-b")];
const pins = madeUpPins([a.pin, b.pin]);

test("the libraries and licences of the wheels are kept, and nothing else", async (t) => {
  const { modelsDir, from } = await openFolders(t, [a, b]);
  await install(modelsDir, from, pins);
  assert.deepEqual((await readdir(cudaFolder(modelsDir, pins))).toSorted(), [
    "LICENSE.made-up-a",
    "LICENSE.made-up-b",
    "libmade_up_a.so.1",
    "libmade_up_b.so.1",
  ]);
  assert.deepEqual(await readdir(join(modelsDir, "gpu")), ["1.0.0"]);
  assert.deepEqual(await cudaFaults(modelsDir, pins), []);
});

test("a wheel that is missing or another one leaves nothing installed, and the others need not come again", async (t) => {
  const { modelsDir, from } = await openFolders(t, [a]);
  await assert.rejects(install(modelsDir, from, pins), {
    message:
      `${join(from, b.pin.file)} is not there: the package index has it as made-up-b 1.0.0. ` +
      "Nothing was installed. 1 of 2 wheels are kept for the next run.",
  });
  await writeFile(join(from, b.pin.file), a.bytes);
  await assert.rejects(install(modelsDir, from, pins), {
    message:
      `${b.pin.file} is not the file whose SHA-256 is pinned. ` +
      "Nothing was installed. 1 of 2 wheels are kept for the next run.",
  });
  assert.deepEqual(await readdir(join(modelsDir, "gpu")), ["1.0.0.part"]);
  await rm(join(from, a.pin.file));
  await writeFile(join(from, b.pin.file), b.bytes);
  const printed = await install(modelsDir, from, pins);
  assert.deepEqual(printed, [
    `taking ${b.pin.file}, 0.0 MB`,
    `installed ${cudaFolder(modelsDir, pins)}; EXECUTION_PROVIDER=cuda uses it`,
  ]);
});

test("files that are absent from a wheel, changed, or larger than stated are refused", async (t) => {
  const [file] = a.pin.files;
  const absent = { ...a.pin, files: [{ ...file!, path: "nowhere.so" }] };
  const changed = { ...a.pin, files: [{ ...file!, sha256: "0".repeat(64) }] };
  const longer = { ...a.pin, files: [{ ...file!, bytes: 1 }] };
  const bomb = zipOf({ [file!.path]: Buffer.alloc(100_000) }, file!.bytes);
  const stated = { ...a.pin, sha256: sha256(bomb), files: [file!] };
  const another = /^made_up_a\/lib\/\S+ of made_up_a\S+ is not the file whose SHA-256 is pinned\. Nothing/;
  const cases: [Wheel, Buffer, RegExp][] = [
    [absent, a.bytes, /^made_up_a\S+ has no nowhere\.so\. Nothing was installed\.$/],
    [changed, a.bytes, another],
    [longer, a.bytes, another],
    [stated, bomb, /Nothing was installed\.$/],
  ];
  for (const [pin, bytes, message] of cases) {
    const { modelsDir, from } = await openFolders(t, [{ pin, bytes }]);
    await assert.rejects(install(modelsDir, from, madeUpPins([pin])), { message });
    assert.deepEqual(await readdir(join(modelsDir, "gpu", "1.0.0.part")), []);
  }
});

test("a disk without room is a sentence before anything comes", async (t) => {
  const { modelsDir, from } = await openFolders(t, [a]);
  const huge = { ...a.pin, files: a.pin.files.map((file) => ({ ...file, bytes: 1e15 })) };
  await assert.rejects(install(modelsDir, from, madeUpPins([huge])), {
    message:
      /^The pull needs 2000000000\.0 MB for a while, and [\d.]+ MB are free in .* Nothing was installed\.$/,
  });
});

test("libraries that were changed or removed are named, and --remove deletes all of them", async (t) => {
  const { modelsDir, from } = await openFolders(t, [a, b]);
  await install(modelsDir, from, pins);
  const folder = cudaFolder(modelsDir, pins);
  await writeFile(join(folder, "libmade_up_a.so.1"), "the library of made-up-A");
  await rm(join(folder, "LICENSE.made-up-b"));
  assert.deepEqual(await cudaFaults(modelsDir, pins), [
    `${folder}/libmade_up_a.so.1 is not the pinned file`,
    `${folder}/LICENSE.made-up-b is missing`,
  ]);
  await removeCuda(modelsDir);
  await assert.rejects(stat(join(modelsDir, "gpu")));
  assert.deepEqual(await cudaFaults(modelsDir, pins), [
    `${folder} is not there; "npm run models -- gpu" fetches it`,
  ]);
});

async function install(modelsDir: string, from: string, wanted: CudaPins): Promise<string[]> {
  const printed: string[] = [];
  await installCuda(modelsDir, wanted, {
    from,
    print: (line) => void printed.push(line),
    progress: () => {},
    stop: new AbortController().signal,
  });
  return printed;
}

async function openFolders(
  t: TestContext,
  wheels: readonly { pin: Wheel; bytes: Buffer }[],
): Promise<{ modelsDir: string; from: string }> {
  const [modelsDir, from] = [await temporaryFolder(t), await temporaryFolder(t)];
  for (const { pin, bytes } of wheels) await writeFile(join(from, pin.file), bytes);
  return { modelsDir, from };
}
