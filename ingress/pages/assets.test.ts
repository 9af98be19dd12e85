import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, test } from "node:test";
import { Script } from "node:vm";
import { testServer } from "../testing/server.ts";
import { assetNames, readAssets } from "./assets.ts";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

const assets = await readAssets();

test("every asset is served with its type, for a year", async () => {
  for (const name of assetNames) {
    const { statusCode, headers } = await app.inject(assets.address(name));
    assert.equal(statusCode, 200, name);
    assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    const type = { css: "text/css", svg: "image/svg+xml", ts: "text/javascript", txt: "text/plain" };
    const extension = name.split(".")[1] as keyof typeof type;
    assert.equal(String(headers["content-type"]).split(";")[0], type[extension] ?? "font/woff2");
  }
});

test("what is not listed is not served, under whatever path", async () => {
  const [, , version] = assets.address("faceline.css").split("/");
  const paths = [
    `${version}/tsconfig.json`,
    `${version}/../assets.ts`,
    `${version}/%2e%2e/assets.ts`,
    `${version}/..%2fassets.ts`,
    `${version}/theme.ts/`,
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
  const files = readdirSync(new URL("browser/", import.meta.url)).filter((name) => name !== "tsconfig.json");
  assert.deepEqual(
    files.filter((name) => !(assetNames as string[]).includes(name)),
    [],
  );
});

test("scripts come without types, in lines and columns of the source", async () => {
  for (const name of assetNames.filter((name) => name.endsWith(".ts"))) {
    const { body } = await app.inject(assets.address(name));
    assert.doesNotThrow(() => new Script(body), name);
    assert.doesNotMatch(body, /: (string|void|boolean)\b/);
  }
});

test("styles load nothing but the assets beside them", async () => {
  const { body } = await app.inject(assets.address("faceline.css"));
  const loaded = Array.from(body.matchAll(/url\("?([^")]*)"?\)|@import/g), ([, address]) => address);
  assert.deepEqual(loaded, ["geist.woff2"]);
});

test("paper is light, also where the reader chose the dark theme", async () => {
  const { body } = await app.inject(assets.address("faceline.css"));
  assert.match(body.split("@media print")[1]!, /:root\[data-theme\] \{\s*color-scheme: light;/);
});
