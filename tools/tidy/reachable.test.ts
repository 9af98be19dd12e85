// Covers the files of src, clients and deploy/launcher.
import test from "node:test";
import { assertNone } from "./offenders.ts";
import { findFiles, importsOf, isTest, pathsIn } from "./source.ts";

test("every file of a product's folder is loaded by an entry point; fixtures and tools are in other folders", () => {
  const entries = findFiles(
    "*/src/main.ts",
    "{deploy,tools}/commands/!(*.test).ts",
    "tools/planner/main.ts",
    "clients/typescript/client.ts",
  );
  const reached = new Set(entries);
  // Also grows while it is iterated.
  for (const file of reached) {
    for (const { target } of importsOf(file)) reached.add(target);
    for (const path of pathsIn(file)) reached.add(path);
  }
  const files = findFiles("*/src/**/*.ts", "clients/**/*.ts", "deploy/launcher/**/*.ts");
  const unreached = files.filter((file) => !isTest(file) && !reached.has(file));
  assertNone("not-loaded", new Map(unreached.map((file) => [file, []])));
});
