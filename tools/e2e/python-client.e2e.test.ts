import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { CommandOutput } from "@faceline/runtime/command-output";
import { readConfig } from "@faceline/runtime/config";
import sharp from "sharp";
import { environmentOfAnotherProject } from "@faceline/commands/client-package";
import { packPythonClient } from "@faceline/commands/python-package";
import { writeSamples } from "@faceline/deploy/launcher/samples";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { startStack } from "./stack/stack.ts";

/** A program of a user for the type checker: it fails on an `ignore` that hides no error, too. */
const program = `
from __future__ import annotations

import io
from array import array
from pathlib import Path
from faceline import AsyncFaceline, Faceline, FacelineError, NoFaceDetected, VerifyResponse


def call(faceline: Faceline) -> str:
    response: VerifyResponse = faceline.verify(img1=Path("first.jpg"), img2=b"", threshold=None, all_faces=True)
    box = response.facial_areas.img1
    faces = faceline.represent(img=io.BytesIO(b""), max_faces=1)
    stored = faces.results[0].embedding
    faceline.compare(vector=stored, candidates=[[0.5], array("d"), {"id": 1, "img": Path("a")}, {"vector": stored}])
    faceline.verify(b"", Path("b"), treshold=1)  # type: ignore[call-arg]
    faceline.verify(img1="", img2="", distance_metric="manhattan")  # type: ignore[arg-type]
    response.distances  # type: ignore[attr-defined]
    try:
        return f"{response.distance:.3f} {box.w if box else 0} {faceline.health().status}"
    except NoFaceDetected as error:
        return f"{error.index}"
    except FacelineError as error:
        return error.code


async def call_async(faceline: AsyncFaceline) -> bool:
    return (await faceline.verify(b"", b"")).verified
`;

test("the wheel of the Python client can be installed in an empty environment and calls the service", async (t) => {
  const wheel = await buildWheel(t);
  if (wheel === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), "faceline-python-user-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const environment = join(folder, "venv");
  await run("python3", ["-m", "venv", environment], { cwd: folder });
  const python = join(environment, "bin/python");
  const pip = (...args: string[]) =>
    run(python, ["-m", "pip", "--disable-pip-version-check", ...args], { cwd: folder });
  await pip("install", "--quiet", wheel);

  await t.test("the wheel has types, the licence, the version, and two dependencies", async () => {
    const listing = await run(python, ["-m", "zipfile", "--list", wheel], { cwd: folder });
    for (const name of [
      "faceline/py.typed",
      "dist-info/licenses/LICENSE",
      "faceline/core/models/__init__.py",
    ]) {
      assert.ok(listing.includes(name), name);
    }
    assert.ok(!/core\/api|_cache/.test(listing), listing);
    const details = await pip("show", "faceline");
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      version: string;
    };
    assert.match(details, new RegExp(`^Version: ${version}$`, "m"));
    assert.match(details, /^Requires: attrs, httpx$/m);
  });

  const { address, key } = await startStack(t);
  const keys = join(repository, "deploy/commands/keys.ts");
  const limits = ["--per-second", "1", "--burst", "2"];
  const output = await run(process.execPath, [keys, "create", "--team", "python", ...limits]);
  const [limitedKey] = output.split("\n");
  const own = { FACELINE_URL: address, FACELINE_KEY: key, LIMITED_KEY: limitedKey };
  const env = { ...environmentOfAnotherProject(), ...own };
  writeImages(folder, key);
  const plain = sharp({ create: { width: 160, height: 160, channels: 3, background: "teal" } });
  await plain.png().toFile(join(folder, "plain.png"));

  // They make arrays of images, as programs of DeepFace do.
  await pip("install", "--quiet", "numpy==2.3.5", "pillow==12.0.0");
  for (const file of ["test_client.py", "test_deepface.py"]) {
    await t.test(`on a running service: ${file}`, async () => {
      const tests = join(import.meta.dirname, "python-client", file);
      const output = await run(python, ["-B", tests, "--verbose"], { cwd: folder, env });
      t.diagnostic(output.trim().split("\n").slice(-3).join(" "));
    });
  }

  for (const document of [
    "clients/python/README.md",
    "docs/using/clients.md",
    "docs/using/coming-from-deepface.md",
  ]) {
    await t.test(`the programs in ${document}`, async () => {
      const text = readFileSync(join(repository, document), "utf8");
      const blocks = [...text.matchAll(/^```python\n(.*?)^```$/gms)].map(([, block]) => block!);
      // Later blocks use the client of the first.
      const programs = blocks.join("\n");
      assert.match(programs, /\bfaceline\b/);
      const output = await run(python, ["-c", programs.replace(readmeAddress, address)], {
        cwd: folder,
        env,
      });
      assert.match(output, /^True/);
    });
  }

  await t.test("a strict program type-checks against it, and so does the package", async () => {
    await pip("install", "--quiet", "mypy==2.4.1");
    writeFileSync(join(folder, "program.py"), program);
    await run(python, ["-m", "mypy", "--strict", "program.py"], { cwd: folder });
    await run(python, ["-m", "mypy", "--strict", "--package", "faceline"], { cwd: folder });
  });
});

const readmeAddress = "http://127.0.0.1:8080";

/** Returns the wheel. Skips the test with a reason when Python or its packages are not to be had. */
async function buildWheel(t: TestContext): Promise<string | undefined> {
  const state = resolve(repository, readConfig(LauncherConfig, process.env).FACELINE_STATE);
  const folder = mkdtempSync(join(tmpdir(), "faceline-wheel-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const steps = new Steps(new CommandOutput({ write: (text) => t.diagnostic(text) }));
  try {
    return await packPythonClient(folder, { state, steps, stop: t.signal });
  } catch (error) {
    if (!/python3|could not be installed/.test((error as Error).message)) throw error;
    t.skip(`NOT CHECKED with Python: ${(error as Error).message}`);
    return undefined;
  }
}

/** Writes the images and the key to where the programs of the documents read them. */
function writeImages(folder: string, key: string): void {
  const samples = join(folder, ".faceline", "samples");
  writeSamples(samples);
  writeFileSync(join(folder, ".faceline", "dev-key"), `${key}\n`);
  for (const name of ["first", "img1", "img"])
    copyFileSync(join(samples, "dia-1.jpg"), join(folder, `${name}.jpg`));
  for (const name of ["second", "img2"])
    copyFileSync(join(samples, "dia-2.jpg"), join(folder, `${name}.jpg`));
}

/** Runs a program to its end and returns its output. Throws with all of it when the program fails. */
async function run(command: string, args: string[], options: object = {}): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, options);
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${stdout ?? ""}${stderr ?? ""}` || message, { cause: error });
  }
}
