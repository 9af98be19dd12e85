import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { environmentOfAnotherProject, installPackage, packClient } from "@faceline/commands/client-package";
import { writeSamples } from "@faceline/deploy/launcher/samples";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { startStack } from "./stack/stack.ts";

const exec = promisify(execFile);
const env = environmentOfAnotherProject();
const nodeVersion = spawnSync("node", ["--version"], { env, encoding: "utf8" }).stdout?.trim() ?? "";
const withoutNode =
  Number(/^v(\d+)/.exec(nodeVersion)?.[1] ?? 99) >= 24 && `no Node before 24 on PATH: ${nodeVersion}`;
const chromium = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"], { env }).status === 0,
);
const withoutBrowser = chromium === undefined && "no Chromium on PATH: apt-get install chromium";

/** A program of a user: type-checked against the package's declarations, then run as JavaScript. */
const program = `
import { FacelineClient, FacelineError, type VerifyResponse } from "@faceline/client";

  export async function call(baseUrl: string, apiKey: string, img1: Blob, img2: Blob): Promise<string> {
  const faceline = new FacelineClient({ baseUrl, apiKey });
  const response: VerifyResponse = await faceline.verify({ img1, img2, distance_metric: "cosine" });
  const box: number | undefined = response.facial_areas.img1?.w;
  const code = await faceline.verify({ img1: "", img2 }).catch((error: unknown) => {
    if (error instanceof FacelineError && error.index === 0) return error.code;
    throw error;
  });
  // @ts-expect-error: a metric that the service does not have.
  void (() => faceline.verify({ img1, img2, distance_metric: "manhattan" }));
  // @ts-expect-error: a field that the response does not have.
  void response.distances;
  return \`\${response.verified} \${box !== undefined} \${code === "missing_image" ? code : "another error"}\`;
}
`;
const expected = "true true missing_image";

test("the packed client can be installed in another project and calls the service", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-client-user-"));
  t.after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const tarball = await packClient(join(folder, "packed"));

  await t.test("the tarball holds JavaScript, declarations, a README and the licence", async () => {
    const { stdout } = await exec("tar", ["-tzf", tarball]);
    const names = stdout
      .trim()
      .split("\n")
      .map((name) => name.replace("package/", ""));
    const others = names.filter((name) => !/^[a-z0-9-]+(\.js|\.d\.ts)$/.test(name));
    assert.deepEqual(others.toSorted(), ["LICENSE", "README.md", "package.json"]);
    for (const name of ["client.js", "client.d.ts", "api-types.d.ts"]) assert.ok(names.includes(name), name);
  });

  await t.test("npm installs it offline, and nothing beside it", async () => {
    await installPackage(folder, tarball);
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as { packages: object };
    assert.deepEqual(Object.keys(lock.packages), ["", "node_modules/@faceline/client"]);
    const client = JSON.parse(
      readFileSync(join(folder, "node_modules/@faceline/client/package.json"), "utf8"),
    );
    const contracts = JSON.parse(readFileSync(join(repository, "contracts/package.json"), "utf8"));
    assert.deepEqual([client.version, client.license], [contracts.version, contracts.license]);
  });

  await t.test("a strict program type-checks against it, without the types of Node or zod", async () => {
    write("call.ts", program);
    const compilerOptions = {
      target: "ES2022",
      lib: ["ES2022", "DOM"],
      types: [],
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["call.ts"] }));
    await exec("tsc", ["-p", folder]).catch(({ stdout }) => assert.fail(stdout));
  });

  const page = await servePage(t, folder);
  const { address, key } = await startStack(t, { settings: { CORS_ORIGINS: page.origin } });
  const samples = join(folder, "samples");
  writeSamples(samples);

  await t.test(`it calls the service on Node ${nodeVersion}`, { skip: withoutNode }, async () => {
    write(
      "main.js",
      `import { readFileSync } from "node:fs";
      import { call } from "./call.js";
      const [address, key, ...files] = process.argv.slice(2);
      const [img1, img2] = files.map((file) => new Blob([readFileSync(file)]));
      console.log(await call(address, key, img1, img2));`,
    );
    const images = ["dia-1.jpg", "dia-2.jpg"].map((name) => join(samples, name));
    const { stdout } = await exec("node", ["main.js", address, key, ...images], { cwd: folder, env });
    assert.equal(stdout.trim(), expected);
  });

  await t.test("it calls the service from a page in Chromium", { skip: withoutBrowser }, async (t) => {
    write(
      "index.html",
      `<!doctype html>
      <script type="importmap">
        { "imports": { "@faceline/client": "/node_modules/@faceline/client/client.js" } }
      </script>
      <script type="module">
        import { call } from "/call.js";
        const image = async (name) => (await fetch("/samples/" + name)).blob();
        const text = await call("${address}", "${key}", await image("dia-1.jpg"), await image("dia-2.jpg"))
          .catch((error) => String(error));
        await fetch("/result", { method: "POST", body: text });
      </script>`,
    );
    assert.equal(await Promise.race([page.result, browse(t, `${page.origin}/index.html`)]), expected);
  });
});

/**
 * Serves a folder to the browser, on an origin that is not the service's. `result` is the body of POST
 * /result.
 */
async function servePage(
  t: TestContext,
  folder: string,
): Promise<{ origin: string; result: Promise<string> }> {
  const result = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (request.method === "POST") {
      void request.toArray().then((chunks) => {
        response.end();
        result.resolve(Buffer.concat(chunks).toString());
      });
      return;
    }
    const type = { html: "text/html", js: "text/javascript" }[pathname.split(".").at(-1)!];
    try {
      const bytes = readFileSync(join(folder, pathname));
      response.writeHead(200, { "content-type": type ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, result: result.promise };
}

/** Opens a page in a headless browser until the test ends. Rejects when the browser ends before. */
async function browse(t: TestContext, url: string): Promise<never> {
  const profile = mkdtempSync(join(tmpdir(), "faceline-browser-"));
  const quiet = ["--no-first-run", "--disable-background-networking", "--disable-component-update"];
  // Chromium has no sandbox for root.
  const unboxed = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const args = ["--headless=new", "--disable-gpu", ...quiet, ...unboxed, `--user-data-dir=${profile}`, url];
  const browser = spawn(chromium!, args, { env, stdio: "ignore" });
  const ended = once(browser, "exit");
  t.after(async () => {
    browser.kill();
    await ended;
    rmSync(profile, { recursive: true, maxRetries: 10 });
  });
  await ended;
  throw new Error("The browser ended before the page had its result.");
}
