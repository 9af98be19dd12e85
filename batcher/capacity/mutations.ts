import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// Breaks the rules of the policy on purpose, one at a time, and says which tests notice. A rule that can be broken
// unnoticed has no test. The source is changed as it is loaded: no file is touched. Usage, from any folder:
//
//     node batcher/capacity/mutations.ts [words of a mutation's name]

const mutations: Mutation[] = [
  ["a part of a lost batch is dropped", "recovery", "inParts(tasks).map(", "inParts(tasks).slice(1).map("],
  ["a batch comes back whole", "recovery", "partsOfReturned = 4", "partsOfReturned = 1"],
  ["no cap on attempts", "recovery", "sent.attempt >= attemptsMax(lane) || (alone", "false && (alone"],
  ["staging behind what may kill", "seats", "(running && (suspicious || suspects))", "false"],
  [
    "a claimed partition stays claimed",
    "reports",
    "other.partitions = other",
    "if (false) other.partitions = other",
  ],
  ["a late answer leaves the parts", "state", "if (wasLost)", "if (false)"],
  ["adopted tasks are sent again", "decide", "each.adopted && !each.lost", "false"],
  ["two batches staged", "seats", "staged > 0", "staged > 1"],
  ["a silent worker is served", "workers", "!silent(worker, now) && !worker.suspect &&", ""],
  [
    "a worker's own largest size is ignored",
    "batch-choice",
    "Math.min(sizing.usefulSize, seat.sizeMax);",
    "sizing.usefulSize;",
  ],
  ["held without need", "batch-choice", "count >= sizing.floor)", "count > sizing.floor)"],
  ["held for ten staggers", "batch-choice", "+ sizing.holdMs", "+ 10 * sizing.holdMs"],
  [
    "the way to the worker takes nothing",
    "seats",
    "preparedAt = now + state.hops.toWorker.ms",
    "preparedAt = now",
  ],
  ["preparing takes nothing", "seats", "+ lane.prepare.highMs(count)", ""],
  ["the way back takes nothing", "seats", "+ state.hops.reply.ms", ""],
  ["a change of pace is noise", "time-model", "if (misses === missesOfJump)", "if (false)"],
  ["no cap on the useful size", "batch-size", "usefulShare = 0.95", "usefulShare = 2"],
  ["nobody is refused for a hopeless wait", "admission", "now + predictedMs > call.deadlineAt", "false"],
  ["nobody is refused for a standing queue", "admission", "waitMs <= standingMaxMs", "true"],
  ["a lane that refuses all tries nothing", "admission", "!mayTry(state, lane, now)", "true"],
  ["one queue for all tenants", "tenants", "this.#tenant(name);", 'this.#tenant("all");'],
  [
    "early drops whoever keeps to its share",
    "shedding",
    "|| lane.tenants.withinShare(urgent.tenant.name)",
    "",
  ],
  [
    "a modest tenant answers for others",
    "admission",
    "|| lane.offers.withinShare(call.tenant, capacity, now)",
    "",
  ],
  ["another lane takes the seat", "dispatch", "proposal.deadlineAt < deadlineAt", "false"],
  [
    "other lanes' work is not counted",
    "rivals",
    "Math.ceil(lane.dueBefore(deadlineAt) / size) * batchMs",
    "0",
  ],
  ["a stall of our own is the workers'", "decide", "worker.reportedAt += stoodMs", "worker.reportedAt += 0"],
].map(([name, file, rule, broken]) => ({ name, file, rule, broken }) as Mutation);

const played = process.env["MUTATION"];
if (played === undefined) playAll();
else breakRule(mutations.find(({ name }) => name === played)!);

function breakRule({ name, file, rule, broken }: Mutation): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/src/scheduling/${file}.ts`)) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      if (!source.includes(rule)) throw new Error(`${name}: ${file}.ts does not say "${rule}" any more`);
      return { ...loaded, source: source.replace(rule, broken) };
    },
  });
}

function playAll(): void {
  const wanted = process.argv.slice(2).join(" ");
  console.log(
    "| the rule that was broken | simulations that notice | or, where none does, tests |\n|---|---|---|",
  );
  for (const { name } of mutations.filter((each) => each.name.includes(wanted))) {
    const simulations = failing(name, ["{src,capacity}/**/*.sim.test.ts"]);
    const tests = simulations.length > 0 ? [] : failing(name, ["src/scheduling/!(*.sim).test.ts"]);
    const none = simulations.length + tests.length === 0 ? "**none**" : "";
    console.log(`| ${name} | ${simulations.join("; ") || none} | ${tests.join("; ")} |`);
  }
}

/** The names of the tests that fail with this mutation, on few seeds. */
function failing(mutation: string, files: string[]): string[] {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const env = {
    ...process.env,
    SEEDS: "12",
    MUTATION: mutation,
    NODE_OPTIONS: `--import=${import.meta.url}`,
  };
  const told = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], { cwd, env });
  return [...String(told.stdout).matchAll(/^not ok \d+ - (.*)$/gm)].map((match) => match[1]!);
}

type Mutation = { name: string; file: string; rule: string; broken: string };
