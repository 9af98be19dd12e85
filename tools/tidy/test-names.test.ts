// Covers the names of all test files.
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { assertNone, type Offenders } from "./offenders.ts";
import { findFiles, packages, read } from "./source.ts";

test("x.test.ts is beside x.ts, or says in a comment before its first test what it covers", () => {
  const lost: Offenders = new Map();
  for (const file of findFiles(`{${packages.join()}}/**/*.test.ts`)) {
    // A whole stack has no file of its own; the name of the test says what it does with it.
    if (/\.(stack|e2e)\.test\.ts$/.test(file)) continue;
    const tested = file.replace(/(\.(sim|live))?\.test\.ts$/, ".ts");
    if (!existsSync(join(repository, tested)) && !hasHeadComment(read(file)))
      lost.set(file, [`there is no ${tested}`]);
  }
  assertNone("tests-without-a-file", lost);
});

test("every test file is run by a command: a package's npm test, npm test, npm run e2e or npm run check", () => {
  const unitTests = packages.flatMap((name) => {
    const script: string = JSON.parse(read(`${name}/package.json`)).scripts?.test ?? "";
    return [...script.matchAll(/"([^"]+)"/g)].flatMap(([, pattern = ""]) => findFiles(`${name}/${pattern}`));
  });
  const run = new Set([
    ...unitTests,
    ...findFiles(
      "**/*.live.test.ts",
      "tools/e2e/**/*.stack.test.ts",
      "tools/e2e/*.e2e.test.ts",
      "tools/tidy/*.test.ts",
    ),
  ]);
  const never = findFiles(`{${packages.join()}}/**/*.test.ts`).filter((file) => !run.has(file));
  assertNone("tests-that-never-run", new Map(never.map((file) => [file, []])));
});

/** Whether a comment comes before everything but imports. */
function hasHeadComment(text: string): boolean {
  const code = text.replaceAll(/^import\s[^"]*"[^"]*";$/gm, "").trimStart();
  return /^(\/\/|\/\*)/.test(code);
}
