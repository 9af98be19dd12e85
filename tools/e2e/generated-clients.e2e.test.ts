import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { CommandOutput } from "@faceline/runtime/command-output";
import { readConfig } from "@faceline/runtime/config";
import sharp from "sharp";
import { environmentOfAnotherProject } from "@faceline/commands/client-package";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { portraits } from "@faceline/testing/faces";
import { findVenv, setUpVenv } from "@faceline/testing/venv";
import { startStack } from "./stack/stack.ts";

// Generates clients from the OpenAPI document with the tools that people use, and runs a program with each
// against the service. Needs the network, because npm, pip and Go fetch the tools: pinned, so that a failure
// is one of the document. About three minutes, longer where Go compiles for the first time.

const sources = join(import.meta.dirname, "generated-clients");
const document = join(repository, "contracts/openapi.json");

test("linters find nothing to say about the OpenAPI document", async (t) => {
  const { run } = project(t);
  await t.test("redocly, recommended rules", async () => {
    const options = ["--extends", "recommended", "--format", "json"];
    const report = await run("npx", "--yes", "@redocly/cli@2.77.0", "lint", ...options, document);
    assert.deepEqual(JSON.parse(report).problems, []);
  });
  await t.test("spectral:oas", async () => {
    const ruleset = join(sources, "spectral.yaml");
    const options = ["--ruleset", ruleset, "--fail-severity", "hint"];
    await run("npx", "--yes", "@stoplight/spectral-cli@6.16.3", "lint", ...options, document);
  });
});

test("generated clients send JSON and files, and read a 400 and a 429 as types", async (t) => {
  const { address, key } = await startStack(t);
  const [face] = await portraits();
  const images = project(t);
  const plain = sharp({ create: { width: 64, height: 64, channels: 3, background: "teal" } });
  const env = {
    FACELINE_URL: address,
    FACELINE_KEY: key,
    LIMITED_KEY: await limitedKey(),
    FACE: images.write("face.jpg", face!),
    PLAIN: images.write("plain.jpg", await plain.jpeg().toBuffer()),
  };
  const expected = {
    json: true,
    files: true,
    eyes: 2,
    threshold: true,
    refused: [400, "no_face_detected", "img2", 1],
    limited: ["rate_limited", "1"],
  };

  await t.test("TypeScript: openapi-typescript and openapi-fetch, under tsc --strict", async (t) => {
    const { copy, run, write } = project(t, env);
    write("package.json", '{ "private": true, "type": "module" }');
    const packages = [
      "openapi-typescript@7.13.0",
      "openapi-fetch@0.17.0",
      "typescript@5.9.3",
      "@types/node@24.10.1",
    ];
    await run("npm", "install", "--no-audit", "--no-fund", ...packages);
    await run("npx", "openapi-typescript", document, "--output", "faceline.ts");
    copy("main.ts.txt", "main.ts");
    const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
    await run("npx", "tsc", ...strict, "--module", "nodenext", "--target", "es2022", "main.ts");
    assert.deepEqual(JSON.parse(await run("node", "main.js")), expected);
  });

  await t.test("Python: openapi-python-client", async (t) => {
    const { copy, run, write } = project(t, env);
    const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
    const venv = {
      name: "generator",
      pythonMin: "3.11",
      // Those of the Python client, which is generated too.
      folder: join(resolve(repository, FACELINE_STATE), "python-client"),
      requirements: join(repository, "clients/python/requirements.txt"),
    };
    await setUpVenv(venv, new Steps(new CommandOutput({ write: (text) => t.diagnostic(text) })), t.signal);
    const { python } = findVenv(venv)!;
    const config = write("config.yaml", "post_hooks: []\n");
    const options = ["--meta", "none", "--output-path", "faceline", "--config", config, "--fail-on-warning"];
    await run(python, "-m", "openapi_python_client", "generate", "--path", document, ...options);
    copy("main.py");
    assert.deepEqual(JSON.parse(await run(python, "main.py")), expected);
  });

  await t.test("Go: oapi-codegen", async (t) => {
    const { copy, run, write } = project(t, env);
    await run("mkdir", "faceline");
    write("go.mod", "module example.org/user\n\ngo 1.24\n");
    const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
    const options = ["-generate", "types,client", "-package", "faceline", "-o", "faceline/client.go"];
    await run("go", "run", generator, ...options, document);
    copy("main.go");
    await run("go", "get", "github.com/oapi-codegen/runtime@v1.9.0");
    assert.deepEqual(JSON.parse(await run("go", "run", ".")), expected);
  });
});

/** Returns the key of a team that has one request a second. */
async function limitedKey(): Promise<string> {
  const main = join(repository, "deploy/commands/keys.ts");
  const limits = ["--per-second", "1", "--burst", "1"];
  const args = [main, "create", "--team", `team-${randomUUID()}`, ...limits];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.split("\n")[0]!;
}

/** An empty folder, as another project has it: its programs are those of the machine. */
function project(t: Pick<TestContext, "after" | "signal">, variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "faceline-generated-"));
  t.after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const env = { ...environmentOfAnotherProject(), ...variables };
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return {
    write,
    copy: (name: string, as = name) => copyFileSync(join(sources, name), join(folder, as)),
    /** Returns what a program writes to stdout. Throws with all of its output if it fails. */
    async run(command: string, ...args: string[]): Promise<string> {
      const options = { cwd: folder, env, signal: t.signal, maxBuffer: 64 * 2 ** 20 };
      try {
        return (await promisify(execFile)(command, args, options)).stdout;
      } catch (fault) {
        const { message, stdout = "", stderr = "" } = fault as Error & { stdout?: string; stderr?: string };
        throw new Error(`${message}\n${stdout}${stderr}`.slice(0, 8_000), { cause: fault });
      }
    },
  };
}
