import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { testServer } from "../testing/server.ts";
import { assetNames, readAssets } from "./assets.ts";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

const assets = await readAssets();

const types = {
  css: "text/css",
  jpg: "image/jpeg",
  svg: "image/svg+xml",
  ts: "text/javascript",
  txt: "text/plain",
  webp: "image/webp",
  woff2: "font/woff2",
};

test("every asset is served with its type, for a year", async () => {
  for (const name of assetNames) {
    const { statusCode, headers } = await app.inject(assets.address(name));
    assert.equal(statusCode, 200, name);
    assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    const extension = name.split(".").at(-1) as keyof typeof types;
    assert.equal(String(headers["content-type"]).split(";")[0], types[extension], name);
  }
});

test("what is not listed is not served, under whatever path", async () => {
  const [, , version] = assets.address("browser/faceline.css").split("/");
  const paths = [
    `${version}/browser/tsconfig.json`,
    `${version}/assets.ts`,
    `${version}/../assets.ts`,
    `${version}/%2e%2e/assets.ts`,
    `${version}/browser/..%2fassets.ts`,
    `${version}/browser/theme.ts/`,
    `${version}/constructor`,
    `${version}/`,
    "theme.ts",
    "000000000000/theme.ts",
    "",
  ];
  for (const path of paths) {
    const reply = await app.inject(`/assets/${path}`);
    assert.deepEqual([reply.statusCode, reply.json().error], [404, "not_found"], path);
  }
});

test("every file of the folder browser/ is listed", () => {
  const entries = readdirSync(new URL("browser/", import.meta.url), { recursive: true, withFileTypes: true });
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== "tsconfig.json")
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter((name) => !(assetNames as string[]).includes(name)),
    [],
  );
});

test("scripts come without types, in lines and columns of the source", async () => {
  for (const name of assetNames.filter((name) => name.endsWith(".ts"))) {
    const { body } = await app.inject(assets.address(name));
    // Throws if it is not a script or a module, and would remove types that are left.
    assert.equal(stripTypeScriptTypes(body), body, name);
  }
});

test("scripts import scripts that are served, by relative addresses", async () => {
  for (const name of assetNames.filter((name) => name.endsWith(".ts"))) {
    const address = assets.address(name);
    const { body } = await app.inject(address);
    for (const [, imported] of body.matchAll(/^(?:import|export|\})[^;"(]* from "([^"]*)";$/gm)) {
      assert.match(imported!, /^\.\.?\/.*\.ts$/, name);
      const target = new URL(imported!, new URL(address, "http://localhost")).pathname;
      assert.equal((await app.inject(target)).statusCode, 200, `${name} imports ${imported}`);
    }
  }
});

test("styles load nothing but the assets beside them", async () => {
  const { body } = await app.inject(assets.address("browser/faceline.css"));
  const loaded = Array.from(body.matchAll(/url\("?([^")]*)"?\)|@import/g), ([, address]) => address);
  assert.deepEqual(loaded, ["geist.woff2"]);
});

test("paper is light, also where the reader chose the dark theme", async () => {
  const { body } = await app.inject(assets.address("browser/faceline.css"));
  assert.match(body.split("@media print")[1]!, /:root\[data-theme\] \{\s*color-scheme: light;/);
});
