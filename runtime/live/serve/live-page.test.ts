// Covers assets.ts, asset-list.ts and erase-types.ts too.
import assert from "node:assert/strict";
import { posix } from "node:path";
import test from "node:test";
import { assetPaths } from "./asset-list.ts";
import { readAssets } from "./assets.ts";
import { livePage } from "./live-page.ts";

test("the page may load nothing from elsewhere, write no HTML and stand in no frame", async () => {
  const { type, headers } = (await livePage("/live"))!;
  assert.equal(type, "text/html; charset=utf-8");
  const policy = headers["content-security-policy"]!;
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/);
  assert.doesNotMatch(policy, /unsafe|data:|http/);
});

test("everything that the page and its scripts load is served, and has no types left", async () => {
  const { text } = (await livePage("/live"))!;
  const wanted = [...String(text).matchAll(/(?:href|src)="(live\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  assert.ok(wanted.length >= 3);
  const served = new Set<string>();
  // Also grows while it is iterated.
  for (const path of wanted) {
    if (served.has(path)) continue;
    served.add(path);
    const asset = await livePage(path);
    assert.ok(asset !== undefined, `${path} is not served`);
    if (!asset.type.startsWith("text")) continue;
    const source = String(asset.text);
    assert.doesNotMatch(source, /^(import|export) type /m, path);
    const loads = /^(?:import|export)[^"';]*"([^"]+)";$|url\("([^"]+)"\)/gm;
    for (const [, module, file = ""] of source.matchAll(loads)) {
      const specifier = module ?? file;
      wanted.push(posix.join(posix.dirname(path), specifier));
    }
  }
  const listed = [...assetPaths, "design/geist.woff2"].filter((path) => path !== "live/page.html");
  assert.deepEqual([...served].toSorted(), listed.map((path) => `/live/assets/${path}`).toSorted());
});

test("the whole page is less than 80 KiB without its typeface, and no script of it makes HTML of text", async () => {
  const assets = new Map(await readAssets());
  assets.delete("design/geist.woff2");
  const bytes = [...assets.values()].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  assert.ok(bytes < 80 * 1024, `${bytes} bytes`);
  for (const [path, { text }] of assets) {
    assert.doesNotMatch(
      String(text),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/,
      path,
    );
  }
});
