// Covers the documents: *.md, and the comments that cite them.
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import test from "node:test";
import { attributes } from "@faceline/contracts/trace/attributes";
import { assertNone, type Offenders } from "./offenders.ts";
import { anchorsOf, findFiles, packages, read, sourceFiles, withoutBlocks } from "./source.ts";

const documents = findFiles("**/*.md");
const allFiles = findFiles("**/*", ".*", ".*/**");

test("every setting is in one table of docs/operating, and nothing else is", () => {
  // The launcher imports no service, so the schemas are read as text: a setting is a key in capitals.
  const schemas = findFiles(
    "*/src/**/{config,settings}.ts",
    "deploy/launcher/settings.ts",
    "runtime/src/{kafka,redis,service,otlp-config,models-config,pool-topics}.ts",
    "runtime/src/operators/config.ts",
  );
  const settings = schemas.flatMap((file) =>
    matches(read(file), /^ {2,4}([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*): /gm),
  );
  const rows = findFiles("docs/operating/{settings,tuning-settings}.md")
    .flatMap((file) => read(file).split("\n"))
    .filter((line) => line.startsWith("| `"));
  const documented = rows.flatMap((row) => matches(row.split("|")[1]!, /`([A-Z][A-Z0-9_]*)`/g));
  assert.ok(settings.length > 40, "the schemas were found");
  assert.deepEqual(documented.toSorted(), [...new Set(settings)].toSorted());
});

test("the attributes of spans that OpenTelemetry does not define are in docs/operating/traces.md", () => {
  const rows = [...read("docs/operating/traces.md").matchAll(/^\| `([\w.]+)` \| (.*) \|$/gm)];
  const own = Object.entries(attributes).filter(
    ([name]) => /^(faceline|error)\./.test(name) && !name.startsWith("faceline.time."),
  );
  assert.deepEqual(
    rows.map(([, ...cells]) => cells),
    own,
  );
});

test("every path in back-ticks exists", () => {
  const missing: Offenders = new Map();
  for (const document of documents) {
    for (const path of matches(withoutBlocks(read(document)), /`([\w.@*{},/-]+?)\/?(?::\d+)?`/g)) {
      if (looksLikePath(path) && !exists(path, document)) missing.set(`${document}: ${path}`, []);
    }
  }
  assertNone("missing-paths", missing);
});

test("docs/operating/README.md lists every chapter once, by its title", () => {
  const [, list = ""] = read("docs/operating/README.md").split("## Chapters");
  const listed = [...list.matchAll(/^- \[(.+)\]\(([\w-]+\.md)\)$/gm)].map(([, title, name]) => {
    const [heading] = read(`docs/operating/${name}`).split("\n");
    assert.equal(heading, `# ${title}`);
    return name!;
  });
  const chapters = findFiles("docs/operating/*.md").map((file) => file.split("/").at(-1)!);
  assert.deepEqual([...listed, "README.md"].toSorted(), chapters.toSorted());
});

test("every relative link points to a file, and to a heading of it", () => {
  const broken: Offenders = new Map();
  for (const document of documents) {
    for (const link of matches(withoutBlocks(read(document)), /\]\(([^)\s]+)\)/g)) {
      if (/^\w+:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : normalize(join(dirname(document), path)).replace(/\/$/, "");
      const file = allFiles.includes(target);
      const ok = file && (anchor === undefined || anchorsOf(read(target)).includes(anchor));
      if (!ok) broken.set(`${document}: ${link}`, [file ? "no such heading" : "no such file"]);
    }
  }
  assertNone("broken-links", broken);
});

test("documents and comments cite only pages of the repository", () => {
  const names = new Set(documents.map((document) => document.split("/").at(-1)));
  const cited: Offenders = new Map();
  for (const file of [...documents, ...sourceFiles().filter((file) => !file.startsWith("tools/tidy/"))]) {
    const text = read(file);
    const pages = matches(text, /\b([A-Z][\w-]*\.md)\b/g).filter((page) => !names.has(page));
    const decisions = matches(text, /\bdecision (\d+)/gi).filter(
      (number) => findFiles(`docs/decisions/${number.padStart(4, "0")}-*.md`).length === 0,
    );
    const phrases = matches(text, /\b(the trial\b|the (?:plan|trial)'s|(?:of|beyond|against) the plan\b)/gi);
    for (const page of [...pages, ...decisions.map((each) => `decision ${each}`), ...phrases]) {
      cited.set(`${file}: ${page}`, []);
    }
  }
  assertNone("pages-elsewhere", cited);
});

test("every decision is on the list of decisions", () => {
  const files = findFiles("docs/decisions/[0-9]*.md");
  const listed = matches(read("docs/decisions/README.md"), /\]\((\d{4}-[^)]+)\)/g);
  assert.deepEqual(
    listed.toSorted().map((name) => `docs/decisions/${name}`),
    files,
  );
});

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, group]) => group!);

/**
 * Media types, model names and endpoints have slashes too. No files of the repository: patterns of names
 * (`x.test.ts`), placeholders (`FACELINE_STATE/bench`), and the state folder.
 */
function looksLikePath(text: string): boolean {
  if (/^(x|X)[-.]|^[A-Z_]+\/|^\.\.|^\/|^\.faceline|node_modules/.test(text)) return false;
  const inPackage = packages.some((name) => text.startsWith(`${name}/`));
  return inPackage || /\.(ts|mjs|json|md|py|toml|txt|yml|xml|svg)$/.test(text);
}

/** Relative to the repository or the document, or the end of some file's path (`scheduling/decide.ts`). */
function exists(path: string, document: string): boolean {
  if (path.includes("*") || path.includes("{")) {
    return findFiles(path, join(dirname(document), path), `**/${path}`).length > 0;
  }
  return allFiles.some(
    (file) => file === path || file === normalize(join(dirname(document), path)) || file.endsWith(`/${path}`),
  );
}

test("the core that newcomers read has at most 35 files and 4,500 lines", () => {
  const rows = read("docs/developing/core.md").matchAll(/^\| `(\S+\.ts)` \|/gm);
  const sizes = Array.from(rows, ([, file]) => read(file!).split("\n").length - 1);
  const lines = sizes.reduce((sum, each) => sum + each, 0);
  assert.ok(sizes.length > 30 && sizes.length <= 35 && lines <= 4_500, `${lines} lines`);
});
