// Covers web/src/assets.ts, as the service answers.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testServer } from "../../testing/server.ts";
import { assetNames, readAssets } from "@faceline/web/assets";

// One server for all tests: every server renders all pages anew.
const { app } = testServer({ after, diagnostic: console.error });

const assets = await readAssets();

const types = {
  css: "text/css",
  jpg: "image/jpeg",
  svg: "image/svg+xml",
  js: "text/javascript",
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
  const [, , version] = assets.address("faceline.css").split("/");
  const paths = [
    `${version}/browser/tsconfig.json`,
    `${version}/theme.ts`,
    `${version}/../assets.ts`,
    `${version}/%2e%2e/assets.ts`,
    `${version}/..%2fassets.ts`,
    `${version}/theme.js/`,
    `${version}/constructor`,
    `${version}/`,
    "theme.js",
    "000000000000/theme.js",
    "",
  ];
  for (const path of paths) {
    const response = await app.inject(`/assets/${path}`);
    assert.deepEqual([response.statusCode, response.json().error], [404, "not_found"], path);
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
