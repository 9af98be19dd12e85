// Covers the exported names of all packages.
import test from "node:test";
import { assertOnlyKnown, type Offenders } from "./baseline.ts";
import { exportsOf, importsOf, packages, sourceFiles } from "./source.ts";

test("a package exports each name from one file alone, so that a name has one meaning", () => {
  const twice: Offenders = new Map();
  for (const name of [...packages, clientPackage]) {
    const files = sourceFiles().filter((file) => packageOf(file) === name);
    const declared = files.flatMap((file) => exportsOf(file).map((exported) => ({ file, exported })));
    for (const [exported, places] of Map.groupBy(declared, (each) => each.exported)) {
      const inFiles = places.map(({ file }) => file);
      if (inFiles.length > 1) twice.set(`${name}: ${exported} in ${inFiles.join(", ")}`, []);
    }
  }
  assertOnlyKnown("names-exported-twice", twice);
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
  assertOnlyKnown("unused-exports", new Map(unused.map((each) => [each, []])));
});

/** The package @faceline/client: its types repeat those of contracts, and its exports are for its users. */
const clientPackage = "contracts/client";
const packageOf = (file: string): string =>
  [clientPackage, ...packages].find((folder) => file.startsWith(`${folder}/`)) ?? "";
const isPublic = (file: string): boolean => packageOf(file) === clientPackage;
