// Covers the exported names of all packages.
import test from "node:test";
import { assertNone, type Offenders } from "./offenders.ts";
import { exportsOf, importsOf, packages, sourceFiles } from "./source.ts";

test("a package exports each name from one file alone, so that a name has one meaning", () => {
  const twice: Offenders = new Map();
  for (const name of packages) {
    const files = sourceFiles().filter((file) => packageOf(file) === name);
    const declared = files.flatMap((file) => exportsOf(file).map((exported) => ({ file, exported })));
    for (const [exported, places] of Map.groupBy(declared, (each) => each.exported)) {
      const inFiles = places.map(({ file }) => file);
      if (inFiles.length > 1) twice.set(`${name}: ${exported} in ${inFiles.join(", ")}`, []);
    }
  }
  assertNone("names-exported-twice", twice);
});

test("every export is imported somewhere", () => {
  const imported = new Set<string>();
  for (const file of sourceFiles()) {
    for (const { target, names } of importsOf(file))
      for (const name of names) imported.add(`${target}: ${name}`);
  }
  const unused = sourceFiles()
    .filter((file) => !isPublic(file) && !imported.has(`${file}: *`))
    .flatMap((file) => exportsOf(file).map((name) => `${file}: ${name}`))
    .filter((each) => !imported.has(each));
  assertNone("unused-exports", new Map(unused.map((each) => [each, []])));
});

const packageOf = (file: string): string => packages.find((folder) => file.startsWith(`${folder}/`)) ?? "";
/** The exports of the clients are for their users. */
const isPublic = (file: string): boolean => packageOf(file) === "clients";
