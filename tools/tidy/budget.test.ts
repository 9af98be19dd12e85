// Covers budget.json, the size that the repository may have: it falls, unless a commit says why not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { findFiles, importsOf, pathsIn, read, sourceFiles } from "./source.ts";

const file = "tools/tidy/budget.json";

/** Lines of code, of tests with what they share, and of what the three services load; bytes of documents. */
type Budget = Record<"code" | "tests" | "services" | "markdown", number>;

/** How much smaller the repository may be before its budget has to be lowered. */
const slack: Budget = { code: 300, tests: 300, services: 300, markdown: 2_000 };

test("the repository is not larger than its budget, and the budget is what it has", () => {
  const budget = JSON.parse(read(file)) as Budget;
  const sizes = sizesNow();
  const wrong = Object.entries(sizes).filter(([name, size]) => {
    const max = budget[name as keyof Budget];
    return size > max || size < max - slack[name as keyof Budget];
  });
  const rows = wrong.map(
    ([name, size]) => `${name}: ${size}, and ${file} says ${budget[name as keyof Budget]}`,
  );
  assert.equal(rows.join("\n"), "");
});

test("a commit that raises the budget says by how much and why: budget: +N because …", (t) => {
  const commits = git("log", "--format=%H", "--", file)?.trim().split("\n");
  if (commits === undefined) return t.skip("NOT CHECKED: there is no history of git");
  for (const commit of commits.filter((each) => each !== "")) {
    const before = budgetAt(`${commit}^`);
    const after = budgetAt(commit);
    if (before === undefined || after === undefined) continue;
    assert.deepEqual(unexplainedRises(before, after, git("log", "-1", "--format=%B", commit)!), [], commit);
  }
});

test("a rise without its line is found, and so is one with another number", () => {
  const before: Budget = { code: 100, tests: 10, services: 50, markdown: 9 };
  const after = { ...before, code: 103, tests: 9 };
  assert.deepEqual(unexplainedRises(before, after, "Add it\n\nbudget: +2 because it is useful"), [
    "code: +3",
  ]);
  assert.deepEqual(unexplainedRises(before, after, "Add it\n\nbudget: +3 because it is useful"), []);
});

function unexplainedRises(before: Budget, after: Budget, message: string): string[] {
  const explained = new Set(
    [...message.matchAll(/^budget: \+(\d+) because \S/gm)].map(([, by]) => Number(by)),
  );
  return Object.entries(after).flatMap(([name, size]) => {
    const by = size - before[name as keyof Budget];
    return by > 0 && !explained.has(by) ? [`${name}: +${by}`] : [];
  });
}

function sizesNow(): Budget {
  const isTest = (path: string) => /\.(test|bench)\.ts$|\/testing\//.test(path);
  const loaded = new Set(["ingress", "batcher", "inference"].map((service) => `${service}/src/main.ts`));
  // Also grows while it is iterated.
  for (const path of loaded) {
    for (const { target } of importsOf(path)) if (/\.(ts|mjs)$/.test(target)) loaded.add(target);
    for (const thread of pathsIn(path)) loaded.add(thread);
  }
  return {
    code: linesIn(sourceFiles().filter((path) => !isTest(path))),
    tests: linesIn(sourceFiles().filter(isTest)),
    services: linesIn([...loaded]),
    markdown: findFiles("**/*.md").reduce((sum, path) => sum + statSync(join(repository, path)).size, 0),
  };
}

const linesIn = (paths: string[]): number =>
  paths.reduce((sum, path) => sum + read(path).split("\n").length - 1, 0);

/** Undefined if the commit, or the file in it, does not exist. */
function budgetAt(commit: string): Budget | undefined {
  const text = git("show", `${commit}:${file}`);
  return text === undefined ? undefined : (JSON.parse(text) as Budget);
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: repository,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}
