import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { foreignDetector } from "../../testing/foreign-detector.ts";
import { foreignRecogniser } from "../../testing/foreign-recogniser.ts";
import { listen, serveFile, setEnvironment } from "../../testing/local-server.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { addedFolder, readCatalogue } from "../catalogue.ts";
import type { EmbeddingModel } from "../catalogue-entry.ts";
import { folderName } from "../contract/entry.ts";
import { type Published, readPublished } from "../contract/published.ts";
import { PartFile } from "../download/part-file.ts";
import { cosineDistance, goldenFaces } from "../golden.ts";
import { type AcceptanceFlags, readAcceptance } from "../licence/acceptance.ts";
import { readModel, sha256 } from "../model-file.ts";
import { createSession, Tensor } from "../onnxruntime.ts";
import { verifyModel } from "../verify.ts";
import { runPull } from "./pull-command.ts";

// Every published model, pulled by its name and below its own path. The publishers' files cannot be had
// where tests run: a server on this machine sends made-up graphs of the declared shapes in their place.

const all = { acceptLicence: true, acceptNonCommercial: true };

for (const real of await readPublished()) {
  const { name, licenses } = real.contract;
  const isFree = licenses.every(({ use }) => use === "any");

  test(`${name} is not fetched before its terms are accepted`, async (t) => {
    const { server, pull, printed } = await openFixture(t, real);
    await assert.rejects(
      pull({ acceptLicence: false, acceptNonCommercial: true }),
      new RegExp(`^Error: The licence of ${name} was not accepted, and there is no terminal`),
    );
    for (const { id, covers } of licenses)
      assert.ok(printed().includes(`licence ${id}`) && printed().includes(covers));
    assert.ok(printed().includes(real.contract.training_data));
    const commercial = pull({ acceptLicence: true, acceptNonCommercial: false });
    if (isFree) await commercial;
    else
      await assert.rejects(commercial, new RegExp(`^Error: ${name} is licensed for non-commercial use only`));
    assert.equal(server.requests.length, isFree ? 1 : 0);
  });

  test(`a file that is not ${name}'s, or is too large, is not installed`, async (t) => {
    const { folder, server, pull } = await openFixture(t, real);
    await assert.rejects(
      pull(all, 1_000),
      /more than 0\.0 MB: --max-megabytes allows more\. Nothing was installed\.$/,
    );
    server.sent = Uint8Array.from(server.sent, (byte, i) => (i === 999 ? byte ^ 1 : byte));
    await assert.rejects(pull(), /sends another file .*: its SHA-256 is another\. Nothing was installed\.$/);
    server.sent = server.sent.subarray(1);
    const why = real.download.bytes === undefined ? "sends another file" : "has a file of";
    await assert.rejects(
      pull(),
      new RegExp(`^Error: ${name}: 127\\.0\\.0\\.1:\\d+ ${why} .* Nothing was installed\\.$`),
    );
    assert.ok(!existsSync(addedFolder(folder)));
  });

  test(`${name} goes on from what a killed pull has left, is added and runs batches`, async (t) => {
    const { folder, server, file, pull } = await openFixture(t, real);
    const half = Math.floor(server.sent.length / 2);
    const part = await PartFile.open(join(folder, "parts"), file.sha256);
    await part.begin(file.url, '"1"');
    await writeFile(part.path, server.sent.subarray(0, half));
    await pull();
    assert.deepEqual(server.requests, [`${new URL(real.download.url).pathname} bytes=${half}-`]);

    const { models } = await readCatalogue(undefined, addedFolder(folder));
    const model = models.find((each) => each.name === name);
    assert.ok(model !== undefined);
    const licence = await readFile(join(addedFolder(folder), folderName(name), "LICENCE"), "utf8");
    assert.equal(licence, real.licenceText);
    assert.deepEqual((await readAcceptance(folder, real.contract))?.licenses, licenses);
    assert.deepEqual(await verifyModel(folder, model), []);
    // Batches of a detector are checked when it is added.
    if (model.role !== "embedding" || real.contract.role === "detector") return;
    assert.equal(model.thresholds.cosine, real.contract.thresholds.cosine);
    assert.equal(model.embedding_size, real.contract.output.length);
    for (const size of model.batch_buckets) await runBatch(folder, model, size);
  });
}

/** Runs a batch of the two golden faces in turn: each must get the embedding that it has alone. */
async function runBatch(folder: string, model: EmbeddingModel, size: number): Promise<void> {
  const faces = goldenFaces(model.input_px);
  const images = Buffer.concat(Array.from({ length: size }, (_, i) => faces[i % 2]!));
  const { inputs, outputs } = model.tensors;
  const session = await createSession(await readModel(folder, model, model.builds[0]!));
  const shape = [size, model.input_px, model.input_px, 3];
  const answers = await session.run({ [inputs[0]!.name]: new Tensor("uint8", images, shape) });
  await session.release();
  const numbers = answers[outputs[0]!.name]!.data as Float32Array;
  assert.equal(numbers.length, size * model.embedding_size);
  for (let i = 0; i < size; i++) {
    const row = numbers.subarray(i * model.embedding_size, (i + 1) * model.embedding_size);
    assert.ok(cosineDistance(row, model.golden!.embeddings[i % 2]!) < 1e-5);
  }
}

async function openFixture(t: TestContext, real: Published) {
  const folder = await temporaryFolder(t);
  const { contract } = real;
  const onnx =
    contract.role === "detector"
      ? foreignDetector(contract)
      : foreignRecogniser({
          px: contract.input.px,
          length: contract.output.length,
          output: "1333",
          slow: true,
        });
  const server = { requests: [] as string[], sent: onnx };
  const listener = createServer((request, response) => {
    server.requests.push(`${request.url} ${request.headers.range ?? ""}`);
    serveFile(server.sent, { request, response });
  });
  const { host } = await listen(t, listener);
  setEnvironment(t, { HTTP_PROXY: undefined, http_proxy: undefined });
  const { pathname } = new URL(real.download.url);
  const file: Published["download"] = {
    url: `http://${host}${pathname}`,
    sha256: sha256(onnx),
    bytes: real.download.bytes && onnx.length,
  };
  const log = t.mock.method(console, "log", () => {});
  const { models } = await readCatalogue();
  const pull = (flags: AcceptanceFlags = all, bytesMax = 1e7) =>
    runPull(
      folder,
      models,
      { names: [real.contract.name], address: undefined, flags, from: undefined, bytesMax },
      Promise.resolve([{ ...real, download: file }]),
    );
  const printed = () => log.mock.calls.map(({ arguments: [line] }) => line as string).join("\n");
  return { folder, server, file, pull, printed };
}
