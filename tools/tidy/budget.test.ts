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
  // Workers compared by their runs took 100 and 80, what keeps tasks from workers 50, and deleted topics,
  // which are made again, 120 and 70.
  batcher: [6_470, 3_900],
  // A false match rate beside each distance; quality of faces: seven measurements, six issues with their
  // bounds, and the fields of three calls; cards.
  // Metrics by the conventions: ten more, and their attributes.
  // The rules of the Python client: 130.
  contracts: [4_790, 1_230],
  // Eight more alerts took 90, a fault of each; inhibitions, in a real Alertmanager, 120; secrets of
  // the compose by service, and the progress of its start, 100.
  // Notes of steps that take long: 10.
  // the compose by service, and the progress of its start, 100. Health, p99 and refusals of each process on
  // the links page: 160 and 100.
  deploy: [5_710, 3_400],
  // Drafts took 250 lines: a decode that leaves out what no network sees, and the second run without one.
  // A pair of models: a second embedder in a lane, and embeddings that are joined.
  // Quality took 280 and 330: pose, sharpness and the part of a face in the picture, without a network.
  // Tasks that ended while they were on the way, and what spans say of servers.
  // A JPEG without its end marker: 20 and 20.
  inference: [7_025, 6_870],
  // Reused memory with the bodies that prove it, where the false match rates of a model come from, and the
  // rule by which a call refuses faces. Who calls most took 150 and 100, causes of refusals, by one function
  // and table, 140 and 120, what spans say of servers 60, languages of pages 70.
  // and table, 140 and 120, what spans say of servers 60.
  // Files of the site and the search index, as the service answers: 40.
  // Errors that say what the service knows took 520 and 430: where JSON or Base64 stops being that, what a
  // body is by its first bytes, where a key is, and forty first mistakes.
  ingress: [11_800, 12_120],
  // Contracts of detectors took 600 and 350: a schema, the decoding as nodes, a freed batch and their checks.
  // Pairs of models; published recognisers, and two changes of networks that took 1.6 times as long, or nine,
  // without; the curve of false match rates; cards.
  models: [7_000, 4_600],
  // Logs took 300 and 300: repetitions counted for every writer, Node's warnings, and their delivery by OTLP.
  // Version and commit of a process: 60. Who calls most, slow workers, mixed builds, a full Redis, and teams
  // of folded log lines: 150. Missing topics, members of a group and servers that are up: 60. The topics of a
  // pool, which were the launcher's: 50. Metrics of Kafka, CPU, garbage collection and heap: 150. OpenMetrics
  // with exemplars, which the SDK has not: 110. Progress of commands, which the planner and thresholds had:
  // 45. Tokens and the frame of reports, which those had twice: 90; the script of the links page: 40.
  runtime: [8_280, 4_630],
  // Scenes of detection and their outcomes took 280 and 70, tests of held-out people and rates 60.
  "tools/accuracy": [1_130, 450],
  // The part `detection`, and cards of models.
  "tools/bench": [3_550, 870],
  // Digests of images, and what a release is refused for. The wheel of the Python client: 110.
  "tools/commands": [780, 50],
  // What users add to the chart took 60 and 150. Calls that two ways of collecting metrics count once. The
  // faults on real processes, with the counts of each as a table: 270. Twenty states of operators' pages:
  // 150.
  // faults on real processes, with the counts of each as a table: 270.
  // 150. The wheel of the Python client: 140.
  // Every state of the tester in a browser: 230.
  // Generated clients in three languages, the linters and the collection: 160.
  // 150. The wheel of the Python client: 140. Every state of the tester in a browser: 230.
  "tools/e2e": [3_530, 8_470],
  "tools/int8-ranges": [300, 50],
  "tools/planner": [5_530, 2_380],
  "tools/releases": [350, 260],
  "tools/simulation": [3_100, 1_600],
  // What the conventions of OpenTelemetry require, as a list: 120. Log records in both receivers of OTLP: 70.
  "tools/testing": [0, 1_010],
  // All pairs of a folder, which no list holds (1,000 made people prove the intervals), and LFW.
  "tools/thresholds": [2_900, 1_550],
  // Series of others, and selectors without a job. The glossary, and prose of sources: 140. Colours in one
  // sheet: 30.
  "tools/tidy": [400, 1_340],
  // How rare two people as alike are, as a sentence and a scale; cards in the tester and in the guides.
  // What visitors read, in three languages: 560. Tables as cards on a phone, and the reader's locale: 50.
  // Search and outline of the documents took 330 and 80, an overview 90, site files and the social card 120.
  // The tester's strings in one file a language took 210, its states 200 and 230, a face to choose 180.
  // The home page in two more languages: 510.
  web: [9_200, 1_420],
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
