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
  accounts: [1_730, 1_610],
  batcher: [6_010, 3_580],
  contracts: [4_610, 1_160],
  deploy: [5_620, 3_570],
  inference: [6_460, 6_740],
  ingress: [11_380, 11_720],
  models: [7_170, 4_690],
  runtime: [8_190, 4_610],
  "tools/accuracy": [1_130, 440],
  "tools/bench": [3_530, 850],
  "tools/commands": [720, 10],
  "tools/e2e": [3_380, 7_940],
  "tools/int8-ranges": [260, 20],
  "tools/planner": [3_960, 1_580],
  "tools/releases": [50, 140],
  "tools/simulation": [2_850, 1_550],
  "tools/testing": [0, 1_000],
  "tools/thresholds": [2_810, 1_500],
  "tools/tidy": [390, 1_290],
  web: [8_910, 1_350],
};

/** Bytes of each document; the first pattern that matches a document counts. */
const bytesMax: [pattern: string, max: number][] = [
  ["README.md", 6 * 1024],
  // All that changed since the last release; a release begins a new one.
  ["CHANGELOG.md", 9 * 1024],
  ["CONTRIBUTING.md", 5 * 1024],
  ["docs/decisions/[0-9]*.md", 1_500],
  ["docs/operating/{settings,tuning-settings}.md", 16 * 1024],
  ["docs/operating/*.md", 6 * 1024],
  // Accuracy by model and condition, and faces found by detector and scene: 6 KB of tables.
  ["docs/benchmarks.md", 17 * 1024],
  // The table of errors alone has 5.5 KB; what is accepted nevertheless, 0.4 KB.
  ["docs/using/errors.md", 7_700],
  ["docs/using/*.md", 6 * 1024],
  // A row for each of twenty models.
  ["models/README.md", 5 * 1024],
  [`{${packages.join()}}/README.md`, 4 * 1024],
  ["**/*.md", 16 * 1024],
];
// Guides for people who come from DeepFace, face-api.js or CompreFace, and for search with pgvector: 9 KB.
// Causes of refusals, seven alerts with what to do, a chart for five kinds of users, releases: 6 KB. A Python
// client, its README, decision and guide: 5 KB. Full sentences in place of telegrams: 4 KB.
const allBytesMax = 355 * 1024;

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
