import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { type TestContext, test } from "node:test";
import { c as createTarball } from "tar";
import { listen } from "../../testing/local-server.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { readCatalogue } from "../catalogue.ts";
import type { Model } from "../catalogue-entry.ts";
import type { TarballSource } from "../catalogue-source.ts";
import { downloadLimits, type PullOptions } from "../download/download.ts";
import { sha256 } from "../model-file.ts";
import { isUnpulled, pulledFolder } from "../source.ts";
import { leftOverMs } from "../staging-folder.ts";
import { pullModels } from "./pull.ts";

// Pulls of a made-up package from a registry on this machine, by the real npm.

test("a pull keeps the files that are needed, the licence and nothing else", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  await registry.start(t);
  await pull(folder, [model]);
  assert.deepEqual(await filesIn(folder), [
    "sources/@made-up/weights@1.0.0/LICENSE",
    "sources/@made-up/weights@1.0.0/models/a.bin",
    "sources/@made-up/weights@1.0.0/models/a.json",
  ]);
  assert.equal(
    await readFile(join(pulledFolder(folder, source), "models/a.bin"), "utf8"),
    "the weights of a",
  );
  assert.equal(isUnpulled(folder, model.source), false);
});

test("models of one tarball need one download, and models that are here need none", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  await registry.start(t);
  const b = { ...source, manifest: fileOf("b.json"), weights: [fileOf("b.bin")] };
  await pull(folder, [model, { ...model, name: "b", source: b }]);
  await pull(folder, [model]);
  assert.equal(registry.requests.filter((path) => path.endsWith(".tgz")).length, 1);
  assert.equal((await filesIn(folder)).length, 5);
});

test("a folder with the tarball takes the place of the network", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  const from = await temporaryFolder(t);
  await refusal(
    folder,
    model,
    /made-up-weights-1\.0\.0\.tgz is not there: "npm pack @made-up\/weights@1\.0\.0" makes it where there is/,
    { from },
  );
  await writeFile(join(from, "made-up-weights-1.0.0.tgz"), "another");
  await refusal(folder, model, /is not the one in the catalogue: its checksum differs\. Nothing/, {
    from,
  });
  await writeFile(join(from, "made-up-weights-1.0.0.tgz"), registry.tarball);
  await pull(folder, [model], { from });
  assert.equal(isUnpulled(folder, model.source), false);
});

test("a pull tells how much has come", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  const seen: number[] = [];
  // Holds the last byte back until the first progress was reported.
  const reported = Promise.withResolvers<void>();
  registry.answer = async (response) => {
    response.write(registry.tarball.subarray(0, -1));
    await reported.promise;
    response.end(registry.tarball.subarray(-1));
  };
  await registry.start(t);
  const progress = (bytes: number, of: number): void => {
    assert.equal(of, source.bytes);
    seen.push(bytes);
    if (bytes > 0) reported.resolve();
  };
  await pull(folder, [model], { progress });
  assert.ok(seen.every((bytes) => bytes <= source.bytes));
});

test("a tarball that was changed on its way is refused", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  registry.answer = (response) => {
    const changed = Buffer.from(registry.tarball);
    changed[100]! ^= 1;
    response.end(changed);
  };
  await registry.start(t);
  await refusal(
    folder,
    model,
    /^The tarball of @made-up\/weights@1\.0\.0 does not match the checksum of the registry: it was changed in transit\. Nothing was installed\.$/,
  );
});

test("another tarball, which the registry states as its own, is refused", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  await registry.start(t);
  const other = { ...source, integrity: `sha512-${"A".repeat(86)}==` };
  await refusal(
    folder,
    { ...model, source: other },
    /^The tarball of .* is not the one in the catalogue: its checksum differs\. Nothing was installed\.$/,
  );
});

test("files that are absent from the tarball or not those of the catalogue are refused", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  await registry.start(t);
  const absent = { ...source, manifest: { ...source.manifest, path: "models/c.json" } };
  await refusal(folder, { ...model, source: absent }, /has no models\/c\.json\. Nothing was installed\.$/);
  const changed = { ...source, weights: [{ ...source.weights[0]!, sha256: "0".repeat(64) }] };
  await refusal(
    folder,
    { ...model, source: changed },
    /^models\/a\.bin of .* is not the file of the catalogue\. Nothing/,
  );
});

test("a registry that sends more than the tarball is cut off", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  registry.answer = (response) => pipeline(endlessZeros, response).catch(() => {});
  await registry.start(t);
  await refusal(
    folder,
    model,
    /^The registry sends more than the 0\.0 MB of the tarball\. Nothing was installed\.$/,
  );
});

test("a registry that sends nothing any more is cut off", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  registry.answer = (response) => void response.write(registry.tarball.subarray(0, 50));
  await registry.start(t);
  const limits = { ...downloadLimits, stallMaxMs: 1_000 };
  await refusal(folder, model, /^The registry has sent nothing for 1 s\. Nothing was installed\.$/, {
    limits,
  });
});

test("without a network, a pull says that npm cannot reach its registry", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  await (await registry.start(t))();
  await refusal(
    folder,
    model,
    /^npm cannot reach its registry \(ECONNREFUSED\): check the network, .*\. Nothing was installed\.$/,
  );
});

test("a registry that does not have the package, or refuses it, is named by what to do", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  for (const [status, sentence] of [
    [404, /^npm's registry has no @made-up\/weights@1\.0\.0 \(E404\); "npm config get registry" shows which/],
    [401, /^npm's registry refuses @made-up\/weights@1\.0\.0 \(E401\); "npm login" signs in/],
  ] as const) {
    registry.answer = (response) => response.writeHead(status).end();
    await registry.start(t);
    await refusal(folder, model, sentence);
  }
});

test("a disk without room is noticed before anything is fetched", async (t) => {
  const { folder, model, source, registry } = await openFixture(t);
  await registry.start(t);
  await refusal(
    folder,
    { ...model, source: { ...source, bytes: 1e15 } },
    /^The pull needs 2000000008\.0 MB for a while, and [\d.]+ MB are free in .*\. Nothing was installed\.$/,
  );
  assert.deepEqual(registry.requests, []);
});

test("a disk that fills up meanwhile is one sentence", async (t) => {
  const inNamespace = ["-Umr", "sh", "-c", 'mount -t tmpfs -o size=16m none "$0" && exec "$@"'];
  const { folder, registry, source } = await openFixture(t, { paddingBytes: 2_000_000 });
  if (spawnSync("unshare", [...inNamespace, folder, "true"]).status !== 0) {
    return t.skip("NOT TESTED: a full disk, because this machine lets nobody mount one");
  }
  const filled = Promise.withResolvers<void>();
  registry.answer = async (response) => {
    response.write(registry.tarball.subarray(0, 1_000_000));
    await filled.promise;
    response.end(registry.tarball.subarray(1_000_000));
  };
  await registry.start(t);
  const script = `
    import { closeSync, openSync, writeSync } from "node:fs";
    import { pullModels } from ${JSON.stringify(join(import.meta.dirname, "pull.ts"))};
    const progress = (bytes) => {
      if (bytes < 500_000) return;
      const filler = openSync(${JSON.stringify(join(folder, "filler"))}, "a");
      try { for (;;) writeSync(filler, Buffer.alloc(1 << 12)); } catch { closeSync(filler); }
      console.log("filled");
    };
    const model = { name: "a", source: ${JSON.stringify(source)} };
    const options = { print() {}, progress, stop: new AbortController().signal };
    await pullModels(${JSON.stringify(folder)}, [model], options).catch(({ message }) => console.log(message));`;
  const node = [process.execPath, "--input-type=module", "-e", script];
  const child = spawn("unshare", [...inNamespace, folder, ...node], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line === "filled") filled.resolve();
    else lines.push(line);
  }
  assert.deepEqual(lines, ["The disk is full. Nothing was installed."]);
});

test("an interrupted pull says so, leaves nothing, and the next one starts again", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  const started = Promise.withResolvers<void>();
  registry.answer = (response) => {
    response.write(registry.tarball.subarray(0, 50));
    started.resolve();
  };
  await registry.start(t);
  const stop = new AbortController();
  const stopped = refusal(folder, model, /^The pull was stopped\. Nothing was installed\.$/, {
    stop: stop.signal,
  });
  await started.promise;
  stop.abort(new Error("The pull was stopped."));
  await stopped;

  registry.answer = undefined;
  await registry.start(t);
  await pull(folder, [model]);
  assert.equal(isUnpulled(folder, model.source), false);
});

test("what a killed pull has left is removed by a later one", async (t) => {
  const { folder, model, registry } = await openFixture(t);
  await registry.start(t);
  const [left, fresh] = [".pull-aaaaaa", ".pull-bbbbbb"].map((name) => join(folder, "sources", name));
  for (const path of [left!, fresh!]) await mkdir(path, { recursive: true });
  const longAgo = new Date(Date.now() - 2 * leftOverMs);
  await utimes(left!, longAgo, longAgo);
  await pull(folder, [model]);
  assert.deepEqual((await readdir(join(folder, "sources"))).toSorted(), [".pull-bbbbbb", "@made-up"]);
});

test("a model whose weights come with Faceline cannot be pulled", async (t) => {
  const { folder } = await openFixture(t);
  const dlib = (await readCatalogue()).find("embedding", "Dlib")!;
  await assert.rejects(pull(folder, [dlib]), {
    message: "Dlib need not be pulled: its weights ship with Faceline.",
  });
});

async function openFixture(t: TestContext, { paddingBytes = 0 } = {}) {
  const folder = await temporaryFolder(t);
  const tarball = await tarballOf({ ...contents, "models/padding.bin": "x".repeat(paddingBytes) }, t);
  const registry = new Registry(tarball);
  const source: TarballSource = {
    kind: "npm_tarball",
    package: "@made-up/weights",
    version: "1.0.0",
    integrity: registry.integrity,
    bytes: tarball.length,
    manifest: fileOf("a.json"),
    weights: [fileOf("a.bin")],
  };
  const dlib: Model = (await readCatalogue()).find("embedding", "Dlib")!;
  return { folder, source, registry, model: { ...dlib, name: "a", source } };
}

const contents = {
  "package.json": JSON.stringify({ name: "@made-up/weights", version: "1.0.0", dependencies: { none: "*" } }),
  LICENSE: "as you like",
  "models/a.json": "[]",
  "models/a.bin": "the weights of a",
  "models/b.json": "[1]",
  "models/b.bin": "the weights of b",
};

function fileOf(name: "a.json" | "a.bin" | "b.json" | "b.bin") {
  const text = contents[`models/${name}`];
  return { path: `models/${name}`, bytes: text.length, sha256: sha256(Buffer.from(text)) };
}

/** Packs files as npm does: gzip, all in the folder `package`. */
async function tarballOf(files: Record<string, string>, t: TestContext): Promise<Buffer> {
  const folder = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, "package", path)), { recursive: true });
    await writeFile(join(folder, "package", path), text);
  }
  const file = join(folder, "package.tgz");
  await createTarball({ cwd: folder, file, gzip: { level: 0 } }, ["package"]);
  return readFile(file);
}

function* endlessZeros() {
  for (;;) yield Buffer.alloc(1 << 20);
}

/** Answers as an npm registry does for the one package. */
class Registry {
  readonly tarball: Buffer;
  readonly requests: string[] = [];
  /** The reply instead of the tarball. */
  answer: ((response: ServerResponse) => unknown) | undefined;

  constructor(tarball: Buffer) {
    this.tarball = tarball;
  }

  get integrity(): string {
    return `sha512-${createHash("sha512").update(this.tarball).digest("base64")}`;
  }

  /** Makes it the registry of this process until the end of the test. Returns how to close it. */
  async start(t: TestContext): Promise<() => Promise<void>> {
    const server = createServer((request, response) => {
      const path = decodeURIComponent(request.url!);
      this.requests.push(path);
      if (path.endsWith(".tgz")) return void (this.answer ?? ((sent) => sent.end(this.tarball)))(response);
      const dist = { integrity: this.integrity, tarball: `http://${host}/-/weights-1.0.0.tgz` };
      const version = { name: "@made-up/weights", version: "1.0.0", dependencies: { none: "*" }, dist };
      const versions = { "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name: version.name, ...versions }));
    });
    const { host, close } = await listen(t, server);
    process.env["npm_config_registry"] = `http://${host}/`;
    return close;
  }
}

function pull(folder: string, models: Model[], options: Partial<PullOptions> = {}): Promise<void> {
  const stop = new AbortController().signal;
  return pullModels(folder, models, { print: () => {}, progress: () => {}, stop, ...options });
}

/** A pull that fails with this sentence, and leaves nothing. */
async function refusal(
  folder: string,
  model: Model,
  message: RegExp,
  options?: Partial<PullOptions>,
): Promise<void> {
  await assert.rejects(pull(folder, [model], options), { message });
  assert.deepEqual(await filesIn(folder), []);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted();
}
