import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Mutation, mutations } from "./mutation-list.ts";

// Mutation tests of the policy: breaks its rules, one at a time, and prints which tests notice. A rule that
// can be broken unnoticed has no test. The source text is changed as it is loaded; no file is touched. From
// any folder:
//
//     node tools/simulation/mutations.ts [words of a mutation's name]

const active = process.env["MUTATION"];
if (active === undefined) runAll();
else breakRule(mutations.find(({ name }) => name === active)!);

/** In the process of a test: changes the source of one module as it is loaded. */
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
  console.log("| broken rule | simulations that notice | or, where none does, tests |\n|---|---|---|");
  for (const { name } of mutations.filter((each) => each.name.includes(words))) {
    const simulations = failingTests(name, ["tools/simulation/*.sim.test.ts"]);
    const tests = simulations.length > 0 ? [] : failingTests(name, ["batcher/src/**/!(*.live).test.ts"]);
    const none = simulations.length + tests.length === 0 ? "**none**" : "";
    console.log(`| ${name} | ${simulations.join("; ") || none} | ${tests.join("; ")} |`);
  }
}

/** Returns the names of the tests that fail with this mutation, on few seeds. */
function failingTests(mutation: string, files: string[]): string[] {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const env = {
    ...process.env,
    SEEDS: "12",
    MUTATION: mutation,
    NODE_OPTIONS: `--import=${import.meta.url}`,
  };
  const run = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], { cwd, env });
  return [...String(run.stdout).matchAll(/^not ok \d+ - (.*)$/gm)].map((match) => match[1]!);
}
