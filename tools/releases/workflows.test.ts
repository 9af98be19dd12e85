// Covers .github/workflows.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../../.github/workflows");
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return { file, text, ...(parse(text) as Workflow) };
});

test("workflows name each action by its commit, and pass nothing of an event to a shell", () => {
  for (const { file, text } of workflows) {
    const actions = [...text.matchAll(/uses: (?!\.\/)(.+)/g)].map(([, action]) => action!);
    assert.ok(actions.length > 0, file);
    for (const action of actions) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const expressions = [...text.matchAll(/\$\{\{ (\S+) \}\}/g)].map(([, name]) => name!);
    const known = /^(secrets|matrix)\.\w+$|^(steps|needs)\.\w+\.outputs\.\w+$|^github\.ref$|^hashFiles\(/;
    for (const name of expressions) assert.match(name, known);
    for (const { run = "" } of stepsOf(text)) assert.ok(!run.includes("${{"), run);
  }
});

test("a job that may write or sign runs nothing of a package or of the repository", () => {
  let checked = 0;
  for (const { file, permissions, jobs } of workflows) {
    for (const [name, job] of Object.entries(jobs)) {
      const rights = job.permissions ?? permissions;
      assert.ok(typeof rights === "object", `${file}, ${name}: the rights are listed one by one`);
      if (Object.values(rights).every((right) => right === "read" || right === "none")) continue;
      checked++;
      assert.equal(job.uses, undefined, `${file}, ${name}: calls another workflow`);
      for (const { run = "", uses = "" } of job.steps ?? []) {
        assert.match(
          uses,
          /^$|^(actions\/download-artifact|sigstore\/cosign-installer)@/,
          `${file}, ${name}`,
        );
        assert.doesNotMatch(run, runsCode, `${file}, ${name}`);
      }
    }
  }
  assert.ok(checked > 0);
});

test("images and charts are joined and signed by their digests, not by tags that may have moved", () => {
  const commands = workflows.flatMap(({ text }) =>
    stepsOf(text).flatMap(({ run = "" }) => run.replaceAll("\\\n", " ").split("\n")),
  );
  const joins = commands.filter((command) => command.includes("imagetools create"));
  const signs = commands.filter((command) => command.includes("cosign sign "));
  assert.deepEqual([joins.length, signs.length], [2, 2]);
  for (const command of joins) assert.match(command, /( "\$image@\$\w+")+\)?$/);
  for (const command of signs) assert.match(command, /@\$digest"$/);
});

/** Commands that run code which was fetched, or is of the repository. */
const runsCode =
  /\b(npx|pnpm|yarn|pip|pipx|uv|python3?|node|mvn|go|cargo|make|curl|wget|apt|apt-get)\s|\bnpm (?!config |publish --ignore-scripts )|\bdocker (buildx )?(build|bake|run|compose)\b|\bhelm (?!push )/;

const stepsOf = (text: string): Step[] =>
  Object.values((parse(text) as Workflow).jobs).flatMap(({ steps = [] }) => steps);

type Rights = Record<string, string> | string;
type Step = { run?: string; uses?: string };
type Workflow = {
  permissions?: Rights;
  jobs: Record<string, { permissions?: Rights; uses?: string; steps?: Step[] }>;
};
