import assert from "node:assert/strict";
import { test } from "node:test";
import { site, textAt } from "../testing/site.ts";
import { assetNames } from "./assets.ts";

const types = {
  css: "text/css; charset=utf-8",
  jpg: "image/jpeg",
  svg: "image/svg+xml; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  webp: "image/webp",
  woff2: "font/woff2",
};

test("every asset has its type, in the folder of its version", () => {
  for (const name of assetNames) {
    const address = site.address(name);
    assert.match(address, new RegExp(`^/assets/[0-9a-f]{12}/${name}$`));
    assert.equal(site.findAsset(address)!.type, types[name.split(".").at(-1) as keyof typeof types], name);
  }
});

test("styles load nothing but the assets beside them", () => {
  const style = textAt(site.address("faceline.css"));
  const loaded = Array.from(style.matchAll(/url\("?([^")]*)"?\)|@import/g), ([, address]) => address);
  assert.deepEqual(loaded, ["geist.woff2"]);
});

test("paper is light, also where the reader chose the dark theme", () => {
  const style = textAt(site.address("faceline.css"));
  assert.match(style.split("@media print")[1]!, /:root\[data-theme\] \{\s*color-scheme: light;/);
});
