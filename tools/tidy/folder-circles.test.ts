// Covers the imports between folders of each package.
import { dirname } from "node:path";
import test from "node:test";
import { assertNone, type Offenders } from "./offenders.ts";
import { importsOf, isTest, packages, sourceFiles } from "./source.ts";

test("no two folders of a package import each other, unless one is in the other", () => {
  const circles: Offenders = new Map();
  for (const name of packages) {
    const files = sourceFiles().filter((file) => file.startsWith(`${name}/`) && !isTest(file));
    const arrows = new Map<string, string[]>();
    for (const file of files) {
      for (const { target } of importsOf(file)) {
        const [from, to] = [dirname(file), dirname(target)];
        if (!target.startsWith(`${name}/`) || isNested(from, to) || isNested(to, from)) continue;
        const arrow = `${from} → ${to}`;
        arrows.set(arrow, [...(arrows.get(arrow) ?? []), `${file} imports ${target}`]);
      }
    }
    for (const [arrow, imports] of arrows) {
      const [from = "", to = ""] = arrow.split(" → ");
      const back = arrows.get(`${to} → ${from}`);
      if (back !== undefined && from < to) circles.set(`${from} ⇄ ${to}`, [...imports, ...back]);
    }
  }
  assertNone("folder-circles", circles);
});

const isNested = (folder: string, ancestor: string): boolean => `${folder}/`.startsWith(`${ancestor}/`);
