// Covers the size of every package and of every document.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findFiles, packages, read, sourceFiles } from "./source.ts";

// What a change adds is paid for by what it removes. A commit that raises a limit gives the reason.

/** Lines of TypeScript of each package: code, and tests with what they share (`*.test.ts`, `testing/`). */
const linesMax: Record<string, [code: number, tests: number]> = {
  accounts: [2_150, 1_800],
  batcher: [6_100, 3_700],
  // Cards of models in /capabilities: a schema, and its plain types for the client.
  contracts: [4_450, 1_050],
  deploy: [5_300, 3_050],
  // Drafts took 250 lines: a decode that leaves out what no network sees, and the second run without one.
  // A pair of models: a second embedder in a lane, and embeddings that are joined.
  inference: [6_650, 6_400],
  // Reused memory: a pool, a collector of bodies, JSON with images as bytes, and the bodies that prove it.
  ingress: [10_700, 10_950],
  // The test of saturation came from inference, whose budget fell by as much.
  // Pairs of models, 90 lines, and their cards, 50.
  models: [6_000, 3_700],
  runtime: [7_150, 3_850],
  // Held-out people, drawn covers and rates with intervals, each with its test.
  "tools/accuracy": [850, 350],
  // Cards of models, written and compared.
  "tools/bench": [3_500, 850],
  "tools/commands": [600, 50],
  "tools/e2e": [3_150, 7_100],
  "tools/int8-ranges": [300, 50],
  "tools/planner": [5_550, 2_400],
  "tools/releases": [350, 200],
  "tools/simulation": [3_100, 1_600],
  "tools/testing": [0, 800],
  "tools/thresholds": [1_800, 750],
  "tools/tidy": [300, 1_050],
  // Cards in the tester and in the guides.
  web: [6_350, 950],
};

/** Bytes of each document; the first pattern that matches a document counts. */
const bytesMax: [pattern: string, max: number][] = [
  ["README.md", 6 * 1024],
  ["CHANGELOG.md", 8 * 1024],
  ["CONTRIBUTING.md", 5 * 1024],
  ["docs/decisions/[0-9]*.md", 1_500],
  ["docs/operating/{settings,tuning-settings}.md", 16 * 1024],
  ["docs/operating/*.md", 6 * 1024],
  // The table of errors alone has 5 KB.
  ["docs/using/errors.md", 7 * 1024],
  ["docs/using/*.md", 6 * 1024],
  [`{${packages.join()}}/README.md`, 4 * 1024],
  ["**/*.md", 16 * 1024],
];
const allBytesMax = 330 * 1024;

test("no package has more lines than its budget", () => {
  const sizes = packages.map((name) => {
    const files = sourceFiles().filter((file) => file.startsWith(`${name}/`));
    const isTest = (file: string) => /\.test\.ts$|\/testing\//.test(file);
    return {
      name,
      code: linesIn(files.filter((file) => !isTest(file))),
      tests: linesIn(files.filter(isTest)),
    };
  });
  const over = sizes.filter(({ name, code, tests }) => {
    const [codeMax, testsMax] = linesMax[name] ?? [0, 0];
    return code > codeMax || tests > testsMax;
  });
  const rows = over.map(
    ({ name, code, tests }) => `"${name}": [${code}, ${tests}], allowed: [${linesMax[name]?.join(", ")}]`,
  );
  assert.equal(rows.join("\n"), "");
});

test("no document has more bytes than its budget, nor have all of them", () => {
  const rows: string[] = [];
  const rest = new Set(findFiles("**/*.md"));
  let all = 0;
  for (const [pattern, max] of bytesMax) {
    for (const document of findFiles(pattern)) {
      if (!rest.delete(document)) continue;
      const { size } = statSync(join(repository, document));
      all += size;
      if (size > max) rows.push(`${document}: ${size} bytes, allowed: ${max}`);
    }
  }
  if (all > allBytesMax) rows.push(`all documents: ${all} bytes, allowed: ${allBytesMax}`);
  assert.equal(rows.join("\n"), "");
});

const linesIn = (files: string[]): number =>
  files.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
