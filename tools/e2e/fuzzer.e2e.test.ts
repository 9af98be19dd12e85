import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { readConfig } from "@faceline/runtime/config";
import sharp from "sharp";
import { photographs } from "@faceline/bench/images";
import { LauncherConfig, readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { CommandOutput } from "@faceline/runtime/command-output";
import { Steps } from "@faceline/deploy/launcher/steps";
import { findVenv, setUpVenv } from "@faceline/testing/venv";
import { readReport } from "./fuzzer/report.ts";
import { startStack } from "./stack/stack.ts";

// Draws valid and invalid calls from the OpenAPI document and checks every answer against it. A run takes
// about five minutes; `FUZZ_CALLS=200 npm run e2e -- tools/e2e/fuzzer.e2e.test.ts` runs this test alone, and
// shorter.
const callsEach = Number(process.env["FUZZ_CALLS"] ?? 2_000);
const seed = Number(process.env["SEED"] ?? 1);

const fuzzer = join(import.meta.dirname, "fuzzer");
const document = join(repository, "contracts/openapi.json");

test(`${callsEach} calls to each endpoint, drawn from seed ${seed}: no 5xx but in overload, and no answer that the document does not describe`, async (t) => {
  const python = await installFuzzer(t);
  if (python === undefined) return;

  const { address, key } = await startStack(t, { workers: readLaunchOptions([], process.env).workers });
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "fuzz-"));
  const report = join(folder, "events.ndjson");
  const options = ["--max-examples", `${callsEach}`, "--seed", `${seed}`];
  const reports = ["--report", "ndjson", "--report-ndjson-path", report, "--no-color"];
  const config = ["--config-file", join(fuzzer, "schemathesis.toml")];
  const { findings } = await run(
    python,
    ["-m", "schemathesis.cli", ...config, "run", document, ...options, ...reports],
    {
      cwd: folder,
      signal: t.signal,
      env: {
        ...process.env,
        FACELINE_URL: address,
        FACELINE_KEY: key,
        SCHEMATHESIS_HOOKS: join(fuzzer, "hooks.py"),
        FUZZ_CALLS: `${callsEach}`,
        FUZZ_IMAGES: JSON.stringify(await images()),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    },
  );
  const endpoints = await readReport(report);
  for (const [endpoint, { calls, statuses, refusedWithTimeLeft }] of endpoints) {
    t.diagnostic(
      `${endpoint}: ${calls} calls, ${JSON.stringify(statuses)}, ${refusedWithTimeLeft} 503 or 504 without a short deadline`,
    );
  }
  assert.equal(findings, "");
  assert.deepEqual([...endpoints.keys()].toSorted(), documentedEndpoints());
  for (const [endpoint, { calls, statuses, refusedWithTimeLeft }] of endpoints) {
    assert.ok(calls >= callsEach, `${endpoint}: ${calls} calls`);
    assert.ok(
      refusedWithTimeLeft <= calls / 100,
      `${endpoint}: ${refusedWithTimeLeft} 503 or 504 without a short deadline`,
    );
    assert.ok(statuses[200], `${endpoint}: no answer was a 200, so its schema was never checked`);
  }
});

/** Returns the Python that has the fuzzer. Skips the test with a reason when it cannot be installed. */
async function installFuzzer(t: TestContext): Promise<string | undefined> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "fuzzer");
  const venv = { name: "fuzzer", pythonMin: "3.10", folder, requirements: join(fuzzer, "requirements.txt") };
  try {
    await setUpVenv(venv, new Steps(new CommandOutput({ write: (text) => t.diagnostic(text) })), t.signal);
  } catch (fault) {
    t.skip(`NOT CHECKED with drawn calls: ${(fault as Error).message}`);
  }
  return findVenv(venv)?.python;
}

/** Runs the fuzzer. `findings` is its output when it found something, else empty. */
async function run(command: string, args: string[], options: object): Promise<{ findings: string }> {
  try {
    await promisify(execFile)(command, args, { ...options, maxBuffer: 64 * 2 ** 20 });
    return { findings: "" };
  } catch (fault) {
    const {
      stdout = "",
      stderr = "",
      message,
    } = fault as { stdout?: string; stderr?: string; message: string };
    return { findings: `${stdout}${stderr}`.slice(0, 20_000) || message };
  }
}

/** Two images in Base64: one with a face, one without. */
async function images(): Promise<string[]> {
  const face = sharp(photographs.at(-1)).extract({ left: 180, top: 430, width: 420, height: 440 });
  const plain = sharp({ create: { width: 16, height: 16, channels: 3, background: "teal" } });
  const bytes = [await face.resize({ width: 96 }).webp().toBuffer(), await plain.webp().toBuffer()];
  return bytes.map((each) => each.toString("base64"));
}

/** `POST /verify` and so on. */
function documentedEndpoints(): string[] {
  const { paths } = JSON.parse(readFileSync(document, "utf8")) as { paths: Record<string, object> };
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}
