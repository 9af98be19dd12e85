import { copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { makeTemporaryFolder } from "@faceline/models/empty-folder";
import { capture } from "@faceline/deploy/launcher/capture";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { findVenv, setUpVenv } from "@faceline/testing/venv";

const source = join(repository, "clients", "python");

/**
 * Builds the wheel of the Python client and returns its path in `folder`. The models of the responses are
 * generated from contracts/openapi.json, and the blocking client from the one for asyncio. `state` is where
 * the pinned packages for that are installed. Throws with the output of the generator or of pip when one of
 * them fails.
 */
export async function packPythonClient(folder: string, packing: Packing): Promise<string> {
  const { state, steps, stop } = packing;
  const venv = {
    name: "packages that build the wheel",
    pythonMin: "3.11",
    folder: join(state, "python-client"),
    requirements: join(source, "requirements.txt"),
  };
  await setUpVenv(venv, steps, stop);
  const { python } = findVenv(venv)!;
  const staging = makeTemporaryFolder("faceline-python-");
  const run = async (module: string, args: string[]) =>
    capture(python, ["-m", module, ...args], {
      stop,
      failed: `${module} failed`,
      // The generator formats with ruff, which is in the same environment.
      env: {
        ...process.env,
        PATH: `${dirname(python)}${delimiter}${process.env["PATH"]}`,
        RUFF_NO_CACHE: "true",
      },
    });
  try {
    await cp(source, staging, { recursive: true });
    await copyFile(join(repository, "LICENSE"), join(staging, "LICENSE"));
    await mkdir(folder, { recursive: true });
    await steps.run("models of the responses", () => generateModels(staging, run));
    await writeBlockingClient(join(staging, "faceline"));
    const options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", folder];
    await steps.run("wheel", () => run("pip", ["wheel", ...options, staging]));
    const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as Versioned;
    return join(folder, `faceline-${version}-py3-none-any.whl`);
  } finally {
    await rm(staging, { recursive: true });
  }
}

/** Writes `faceline/core`: the generated models, without the generator's functions. */
async function generateModels(staging: string, run: RunModule): Promise<void> {
  const document = join(staging, "openapi.json");
  const text = await readFile(join(repository, "contracts", "openapi.json"), "utf8");
  await writeFile(document, JSON.stringify(onlyResponses(JSON.parse(text) as OpenApi)));
  const core = join(staging, "faceline", "core");
  const config = ["--config", join(staging, "generator.yaml")];
  const templates = ["--custom-template-path", join(staging, "templates")];
  const output = ["--output-path", core, "--meta", "none", "--fail-on-warning"];
  await run("openapi_python_client", ["generate", "--path", document, ...output, ...config, ...templates]);
  for (const unused of ["api", "client.py", "errors.py"]) await rm(join(core, unused), { recursive: true });
}

/** Writes client.py: async_client.py without asyncio. */
async function writeBlockingClient(folder: string): Promise<void> {
  const text = await readFile(join(folder, "async_client.py"), "utf8");
  const blocking = text.replace("asyncio.sleep", "time.sleep").replace(asyncNames, "");
  await writeFile(join(folder, "client.py"), blocking);
}

const asyncNames =
  /^import asyncio\n|\b(async|await) |\bAsync(?=[A-Z])|\ba(?=close|iter_bytes)|(?<=__)a(?=enter|exit)/gm;

/** The document without requests and errors: the client writes and reads those itself. */
function onlyResponses({ paths, components, ...document }: OpenApi): OpenApi {
  const operations = Object.entries(paths).map(([path, methods]) => {
    const kept = Object.entries(methods).map(([method, { operationId, responses }]) => {
      return [method, { operationId, responses: { 200: responses["200"] } }] as const;
    });
    return [path, Object.fromEntries(kept)] as const;
  });
  const schemas: OpenApi["components"]["schemas"] = {};
  const addReferencesOf = (part: unknown) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (schemas[name!] !== undefined) continue;
      schemas[name!] = components.schemas[name!];
      addReferencesOf(schemas[name!]);
    }
  };
  addReferencesOf(operations);
  return { ...document, paths: Object.fromEntries(operations), components: { schemas } };
}

type Packing = { state: string; steps: Steps; stop: AbortSignal };

type RunModule = (module: string, args: string[]) => Promise<string>;

type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

type Operation = { operationId: string; responses: Record<string, unknown> };

type Versioned = { version: string };
