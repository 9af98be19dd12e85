import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { readConfig } from "@faceline/contracts/runtime/config";
import sharp from "sharp";
import { photographs } from "../bench/pictures.ts";
import { findVenv, setUpVenv } from "../commands/venv.ts";
import { LauncherConfig } from "../launcher/settings.ts";
import { repository } from "../launcher/state-folder.ts";
import { Steps } from "../launcher/steps.ts";
import { readReport } from "./fuzzer/report.ts";

// Draws calls from the OpenAPI document, valid ones and others, and holds every answer against it. A run is some five
// minutes; `FUZZ_CALLS=200 npm run e2e -- deploy/e2e/fuzz.e2e.test.ts` is this test alone, and shorter.
const callsEach = Number(process.env["FUZZ_CALLS"] ?? 2_000);
const seed = Number(process.env["SEED"] ?? 1);

const fuzzer = join(import.meta.dirname, "fuzzer");
const document = join(repository, "ingress/openapi.json");

test(`${callsEach} calls to each endpoint, drawn from seed ${seed}: no 5xx but in overload, and nothing that is not in the document`, async (t) => {
  const { FACELINE_URL, FACELINE_KEY, FACELINE_TEST_RUN } = process.env;
  assert.ok(FACELINE_URL && FACELINE_KEY, "this test is one of `npm run e2e`");
  const python = await installed(t);
  if (python === undefined) return;

  const folder = mkdtempSync(join(FACELINE_TEST_RUN ?? tmpdir(), "fuzz-"));
  const report = join(folder, "events.ndjson");
  const options = ["--max-examples", `${callsEach}`, "--seed", `${seed}`];
  const reports = ["--report", "ndjson", "--report-ndjson-path", report, "--no-color"];
  const config = ["--config-file", join(fuzzer, "schemathesis.toml")];
  const startedAt = performance.now();
  const { findings } = await run(
    python,
    ["-m", "schemathesis.cli", ...config, "run", document, ...options, ...reports],
    {
      cwd: folder,
      signal: t.signal,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: join(fuzzer, "hooks.py"),
        FUZZ_PICTURES: JSON.stringify(await pictures()),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    },
  );
  const seconds = (performance.now() - startedAt) / 1_000;

  const endpoints = await readReport(report);
  for (const [endpoint, { calls, statuses, refusedAtLeisure }] of endpoints) {
    t.diagnostic(
      `${endpoint}: ${calls} calls, ${JSON.stringify(statuses)}, ${refusedAtLeisure} refused at leisure`,
    );
  }
  t.diagnostic(`${seconds.toFixed(0)} s`);
  assert.equal(findings, "");
  assert.deepEqual([...endpoints.keys()].toSorted(), documented());
  for (const [endpoint, { calls, statuses, refusedAtLeisure }] of endpoints) {
    assert.ok(calls >= callsEach, `${endpoint}: ${calls} calls`);
    assert.ok(refusedAtLeisure <= calls / 100, `${endpoint}: ${refusedAtLeisure} refused at leisure`);
    assert.ok(statuses[200], `${endpoint}: no answer was a 200, so none was held against its schema`);
  }
});

/** The Python that has the fuzzer. Without one the test is skipped, and says why. */
async function installed(t: TestContext): Promise<string | undefined> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "fuzzer");
  const venv = { name: "fuzzer", pythonMin: "3.10", folder, requirements: join(fuzzer, "requirements.txt") };
  try {
    await setUpVenv(venv, new Steps((line) => t.diagnostic(line)), t.signal);
  } catch (fault) {
    t.skip(`the API was not fuzzed: ${(fault as Error).message}`);
  }
  return findVenv(venv)?.python;
}

/** What was found, in the fuzzer's own words; empty where it found nothing. */
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

/** One with a face, and one without. */
async function pictures(): Promise<string[]> {
  const face = sharp(photographs.at(-1)).extract({ left: 180, top: 430, width: 420, height: 440 });
  const plain = sharp({ create: { width: 16, height: 16, channels: 3, background: "teal" } });
  const bytes = [await face.resize({ width: 96 }).webp().toBuffer(), await plain.webp().toBuffer()];
  return bytes.map((each) => each.toString("base64"));
}

/** `POST /verify` and so on. */
function documented(): string[] {
  const { paths } = JSON.parse(readFileSync(document, "utf8")) as { paths: Record<string, object> };
  return Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}
