// Covers package.json, package-lock.json and .npmrc.
import assert from "node:assert/strict";
import test from "node:test";
import { read } from "./source.ts";

const { optionalDependencies } = JSON.parse(read("package.json")) as {
  optionalDependencies: Record<string, string>;
};
const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };

test("the Node that runs everything is pinned for each platform by a hash in the lock file", () => {
  const nodes = Object.entries(optionalDependencies);
  for (const [name, version] of nodes) {
    const locked = lock.packages[`node_modules/${name}`];
    assert.equal(locked?.version, version, name);
    assert.match(locked?.integrity ?? "", /^sha512-/, name);
  }
  // npm has no current one of Node 24 for Macs.
  const onLinux = nodes.filter(([name]) => name.startsWith("node-linux-")).map(([, version]) => version);
  assert.deepEqual([onLinux.length, new Set(onLinux).size], [2, 1], "Linux has one version");
});

test("every package that comes from a registry has a hash in the lock file", () => {
  const registered = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  assert.deepEqual(
    registered.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path),
    [],
  );
});

test("no package runs a script when it is installed", () => {
  assert.match(read(".npmrc"), /^ignore-scripts=true$/m);
});

type LockedPackage = { version?: string; integrity?: string; link?: boolean };
