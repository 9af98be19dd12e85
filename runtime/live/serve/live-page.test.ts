// Covers assets.ts, asset-list.ts and erase-types.ts too.
import assert from "node:assert/strict";
import { posix } from "node:path";
import test from "node:test";
import { assetPaths } from "./asset-list.ts";
import { readAssets } from "./assets.ts";
import { livePage } from "./live-page.ts";

test("the page may load nothing from elsewhere, write no HTML and stand in no frame", async () => {
  const { type, headers } = (await livePage("/live"))!;
  assert.equal(type, "text/html");
  const policy = headers["content-security-policy"]!;
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/);
  assert.doesNotMatch(policy, /unsafe|data:|http/);
});

test("everything that the page and its scripts load is served, and has no types left", async () => {
  const { text: page } = (await livePage("/live"))!;
  const wanted = [...page.matchAll(/(?:href|src)="(live\/[^"]+)"/g)].map(([, path]) => `/${path}`);
  assert.ok(wanted.length >= 3);
  const served = new Set<string>();
  // Also grows while it is iterated.
  for (const path of wanted) {
    if (served.has(path)) continue;
    served.add(path);
    const asset = await livePage(path);
    assert.ok(asset !== undefined, `${path} is not served`);
    if (asset.type !== "text/javascript") continue;
    assert.doesNotMatch(asset.text, /^(import|export) type /m, path);
    for (const [, specifier = ""] of asset.text.matchAll(/^(?:import|export)[^"';]*"([^"]+)";$/gm)) {
      wanted.push(posix.join(posix.dirname(path), specifier));
    }
  }
  const listed = assetPaths.filter((path) => path !== "live/page.html").map((path) => `/live/assets/${path}`);
  assert.deepEqual([...served].toSorted(), listed.toSorted());
});

test("the whole page is less than 80 KiB, and no script of it makes HTML of text", async () => {
  const assets = await readAssets();
  const bytes = [...assets.values()].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  assert.ok(bytes < 80 * 1024, `${bytes} bytes`);
  for (const [path, { text }] of assets) {
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, path);
  }
});
