import assert from "node:assert/strict";
import { copyFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock, test } from "node:test";
import { builtModel } from "../testing/built.ts";
import { writeForeign } from "../testing/foreign-recogniser.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { readCatalogue } from "./catalogue.ts";
import { acceptTerms } from "./licence/acceptance.ts";
import { main } from "./main.ts";
import { modelFile, modelsFolder } from "./model-file.ts";

/** Runs the command in this process, and returns what it printed. */
async function models(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = (["log", "error"] as const).map((name) => mock.method(console, name, () => {}));
  const code = await main(args).finally(() => mock.restoreAll());
  const [out = "", err = ""] = printed.map(({ mock: { calls } }) =>
    calls.map((call) => `${call.arguments.join(" ")}\n`).join(""),
  );
  return { code, out, err };
}

test("a folder fails to verify until it is built, and a second build changes nothing", async (t) => {
  const folder = await temporaryFolder(t);

  const empty = await models("verify", "--to", folder);
  assert.equal(empty.code, 1);
  assert.equal(empty.err.trim().split("\n").length, 10);

  // build.test.ts makes every build from scratch.
  for (const model of (await readCatalogue()).models.filter(({ source }) => source.kind === "npm_tfjs")) {
    for (const build of model.builds.filter(({ file }) => file !== "ssd-512.float32.onnx")) {
      await builtModel(model, build);
      await copyFile(modelFile(modelsFolder, model, build), join(folder, build.file));
    }
  }
  const first = await models("build", "--to", folder);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^built {2}ssd-512\.float32\.onnx +22\.1 MB +\d+ ms$/m);
  assert.doesNotMatch((await models("build", "--to", folder)).out, /built/);
  const verified = await models("verify", "--to", folder);
  assert.deepEqual(verified.code, 0);
  assert.match(verified.out, /^\d+ models match the catalogue; not pulled: .*MobileFaceNet/);
  assert.match(
    (await models("list", "--to", folder)).out,
    /^MobileFaceNet .* not pulled +MIT AND Apache-2\.0$/m,
  );
});

test("wrong arguments show the usage", async () => {
  assert.match((await models()).err, /^usage:/);
  const { code, err } = await models("bild");
  assert.equal(code, 2);
  assert.match(err, /^unknown verb: bild\n\nusage:/);
});

test("a name that the catalogue does not have cannot be pulled", async () => {
  assert.deepEqual(await models("pull", "Facenet"), {
    code: 1,
    out: "",
    err: 'the catalogue has no Facenet; "npm run models -- list" shows its models\n',
  });
});

test("a pull without a terminal shows the terms, and is refused without the flag", async (t) => {
  const folder = await temporaryFolder(t);
  const { code, out, err } = await models("pull", "MobileFaceNet", "--to", folder);
  assert.equal(code, 1);
  assert.match(
    out,
    /^MobileFaceNet, a download of 144\.5 MB:\n {2}licence MIT: .*\n {2}licence Apache-2\.0: /,
  );
  assert.match(out, /^ {2}trained on: Not stated\. The README of sirius-ai/m);
  assert.equal(
    err,
    "The licence of MobileFaceNet was not accepted, and there is no terminal to ask on: " +
      "--accept-licence accepts it. Nothing was fetched.\n",
  );
  assert.deepEqual(await readdir(folder), []);
});

test("list shows builds, and when a licence was accepted", async (t) => {
  const folder = await temporaryFolder(t);
  const { models: entries } = await readCatalogue();
  const terms = entries.find(({ name }) => name === "faceboxes")!;
  await acceptTerms(folder, [{ terms, bytes: 1 }], {
    flags: { acceptLicence: true },
    ask: undefined,
    print: () => {},
    now: new Date("2026-11-22"),
  });
  const { out } = await models("list", "--to", folder);
  for (const line of [
    /^Dlib +embedding +float32 +22\.4 MB +[0-9a-f]{12} +not built +MIT AND LicenseRef-public-domain$/m,
    /^faceboxes .* not pulled +MIT +2026-11-22$/m,
    /^SFace +embedding +float32 +[\d.]+ MB +\w{12} +not pulled +Apache-2\.0$/m,
  ]) {
    assert.match(out, line);
  }
});

test("a file that is added is listed and verified, and a wrong one is a sentence", async (t) => {
  const folder = await temporaryFolder(t);
  const { onnx, contract } = await writeForeign(folder);
  const [wrong, to] = [join(folder, "b.onnx"), join(folder, "models")];
  await writeFile(wrong, "another");
  assert.deepEqual(await models("add", wrong, "--contract", contract, "--to", to), {
    code: 1,
    out: "",
    err: `${wrong} was not added: It is not an ONNX file.\n`,
  });
  const added = await models("add", onnx, "--contract", contract, "--to", to);
  assert.deepEqual([added.code, added.err], [0, ""]);
  assert.match(added.out, /^added Foreign; MODELS of the workers and ingresses turns it on\n$/);
  assert.match(
    (await models("list", "--to", to)).out,
    /^Foreign +embedding +float32 +[\d.]+ MB +\w{12} +built +Apache-2\.0$/m,
  );
  // The models of the repository are not built in this folder.
  assert.doesNotMatch((await models("verify", "--to", to)).err, /Foreign/);
});

test("--help shows the usage, with and without a verb", async () => {
  for (const args of [["--help"], ["build", "--help"], ["thresholds", "--help"]]) {
    const { code, out, err } = await models(...args);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^usage: /);
  }
});

test("the CUDA libraries are listed, and fetched only when their licences are accepted", async (t) => {
  const folder = await temporaryFolder(t);
  const listed = await models("gpu", "--list", "--to", folder);
  assert.equal(listed.code, 0, listed.err);
  assert.match(listed.out, /^onnxruntime-gpu +1\.30\.0 +246\.7 MB +[0-9a-f]{12}$/m);
  assert.match(listed.out, /NVIDIA drivers 580 or later\nnot installed\nlicences not accepted\n$/);
  const refused = await models("gpu", "--to", folder);
  assert.equal(refused.code, 1);
  assert.match(refused.out, /^cuda, a download of 1345\.6 MB:\n {2}licence MIT: [\s\S]*NVIDIA-Proprietary: /);
  assert.match(refused.err, /^The licence of cuda was not accepted, and there is no terminal to ask on/);
  assert.deepEqual(await readdir(folder), []);
  const verified = await models("gpu", "--verify", "--to", folder);
  assert.deepEqual([verified.code, verified.out], [1, ""]);
  assert.match(verified.err, /gpu\/1\.30\.0 is not there; "npm run models -- gpu" fetches it$/m);
  assert.match((await models("gpu", "--list", "--remove")).err, /^gpu: only one of --list, --remove\n/);
});
