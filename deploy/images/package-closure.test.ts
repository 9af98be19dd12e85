import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "../launcher/state-folder.ts";
import { type Lock, packageClosure } from "./package-closure.ts";

const lock: Lock = {
  packages: {
    app: { dependencies: { "@x/lib": "*", a: "1" }, optionalDependencies: { absent: "1" } },
    lib: { dependencies: { big: "1" }, peerDependencies: { engine: "1" }, peerDependenciesMeta: optional() },
    "node_modules/@x/lib": { link: true, resolved: "lib" },
    "node_modules/a": { dependencies: { b: "1" } },
    "node_modules/a/node_modules/b": {},
    "node_modules/b": {},
    "node_modules/big": { dependencies: { small: "1" } },
    "node_modules/small": {},
    "node_modules/engine": {},
  },
};

test("a workspace needs its packages, the nearest copy of each, and those of other workspaces", () => {
  assert.deepEqual(packageClosure(lock, "app", new Set()), [
    "app",
    "lib",
    "node_modules/a",
    "node_modules/a/node_modules/b",
    "node_modules/big",
    "node_modules/small",
  ]);
});

test("a package that is left out takes along what only it needs", () => {
  const folders = packageClosure(lock, "app", new Set(["big"]));
  assert.ok(!folders.includes("node_modules/big"));
  assert.ok(!folders.includes("node_modules/small"));
});

test("a package that the lock file does not have is an error with its name", () => {
  const broken: Lock = { packages: { app: { dependencies: { gone: "1" } } } };
  assert.throws(() => packageClosure(broken, "app", new Set()), /app needs gone/);
});

test("only inference has onnxruntime, and only ingress the HTTP server", () => {
  const real = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as Lock;
  const has = (workspace: string, name: string) =>
    packageClosure(real, workspace, new Set()).includes(`node_modules/${name}`);
  const services = ["ingress", "batcher", "inference", "deploy"];
  assert.deepEqual(
    services.filter((each) => has(each, "onnxruntime-node")),
    ["inference"],
  );
  assert.deepEqual(
    services.filter((each) => has(each, "fastify")),
    ["ingress"],
  );
});

function optional() {
  return { engine: { optional: true } };
}
