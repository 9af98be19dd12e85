import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Mutation, mutations } from "./mutation-list.ts";

// Mutation tests of the policy: breaks its rules, one at a time, and prints which tests notice. A rule that
// can be broken unnoticed has no test. Unit tests run first, then one simulation after the other until one
// notices. The source text is changed as it is loaded; no file is touched. From any folder:
//
//     node tools/simulation/mutations.ts [words of a mutation's name]

/** It takes a minute or more. */
const isSlow = (file: string) => file.startsWith("heavy-images");
const simulations = globSync("*.sim.test.ts", { cwd: import.meta.dirname }).toSorted(
  (a, b) => Number(isSlow(a)) - Number(isSlow(b)),
);
const testGroups = [
  "batcher/src/scheduling/**/*.test.ts",
  ...simulations.map((file) => `tools/simulation/${file}`),
];

const active = process.env["MUTATION"];
if (active === undefined) runAll();
else breakRule(mutations.find(({ name }) => name === active)!);

/** Changes the source of one module as it is loaded, in the process of a test. */
function breakRule({ module, rule, broken }: Mutation): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/src/scheduling/${module}.ts`)) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: source.replace(rule, () => broken) };
    },
  });
}

function runAll(): void {
  const words = process.argv.slice(2).join(" ");
  console.log("| broken rule | tests that notice |\n|---|---|");
  for (const { name } of mutations.filter((each) => each.name.includes(words))) {
    const failed = testGroups
      .values()
      .map((tests) => failingTests(name, tests))
      .find(({ length }) => length > 0);
    console.log(`| ${name} | ${failed?.join("; ") ?? "**none**"} |`);
  }
}

/** Returns the names of the tests that fail with this mutation. */
function failingTests(mutation: string, tests: string): string[] {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const env = { ...process.env, MUTATION: mutation, NODE_OPTIONS: `--import=${import.meta.url}` };
  const options = { cwd, env, timeout: 300_000, killSignal: "SIGKILL" } as const;
  // A mutation may make a test loop for ever. In one process, because nothing else ends that loop.
  const flags = ["--test", "--test-isolation=none", "--test-reporter=tap"];
  const run = spawnSync(process.execPath, [...flags, tests], options);
  if (run.signal !== null) return [`endless: ${tests}`];
  return [...String(run.stdout).matchAll(/^not ok \d+ - (.*)$/gm)].map((match) => match[1]!);
}
