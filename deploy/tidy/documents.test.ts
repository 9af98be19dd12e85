import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "../launcher/state-folder.ts";

const read = (file: string): string => readFileSync(join(repository, file), "utf8");

// The launcher imports no service, so the schemas are read as text: a setting is a key in capitals.
const schemas = globSync(
  ["*/src/{config,settings}.ts", "deploy/launcher/settings.ts", "contracts/runtime/{kafka,redis}.ts"],
  {
    cwd: repository,
  },
);

test("every setting stands in the one table of ARCHITECTURE.md, and nothing else does", () => {
  const known = schemas.flatMap((file) =>
    [...read(file).matchAll(/^ {2,4}([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*): /gm)].map(([, name]) => name!),
  );
  const rows = read("ARCHITECTURE.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const documented = rows.flatMap((row) =>
    [...row.split("|")[1]!.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name!),
  );
  assert.ok(known.length > 40, "the schemas were found");
  assert.deepEqual(documented.toSorted(), [...new Set(known)].toSorted());
});

test("the documents name no file that is not there", () => {
  const named = ["README.md", "ARCHITECTURE.md", "DECISIONS.md", "CONTRIBUTING.md"].flatMap((document) =>
    [
      ...read(document).matchAll(
        /`((?:contracts|models|ingress|batcher|inference|deploy)\/[\w./-]+\.(?:ts|json|mjs))`/g,
      ),
    ].map(([, file]) => file!),
  );
  assert.ok(named.length > 10, "files are named");
  assert.deepEqual(
    named.filter((file) => globSync(file, { cwd: repository }).length === 0 && !renamed.includes(file)),
    [],
  );
});

/** Until the documents name the new paths. */
const renamed = [
  "deploy/e2e/egress.test.ts",
  "deploy/e2e/memory.test.ts",
  "deploy/launcher/broker.ts",
  "deploy/e2e/fuzz.e2e.test.ts",
];
