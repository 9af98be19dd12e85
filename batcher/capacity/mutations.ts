import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// Mutation tests of the policy: breaks its rules, one at a time, and prints which tests notice. A rule that
// can be broken unnoticed has no test. The source text is changed as it is loaded; no file is touched. From
// any folder:
//
//     node batcher/capacity/mutations.ts [words of a mutation's name]

const mutations: Mutation[] = [
  {
    name: "a part of a lost batch is dropped",
    file: "recovery",
    rule: "splitIntoParts(tasks).map(",
    broken: "splitIntoParts(tasks).slice(1).map(",
  },
  {
    name: "a lost batch is retried whole",
    file: "recovery",
    rule: "retryPartCount = 4",
    broken: "retryPartCount = 1",
  },
  {
    name: "attempts are not limited",
    file: "recovery",
    rule: "sent.attempt >= attemptsMax(lane) ||",
    broken: "false ||",
  },
  {
    name: "a batch is staged behind one that may be poison",
    file: "worker-slot",
    rule: "(running && (mayBePoison || poisonWaits))",
    broken: "false",
  },
  {
    name: "a partition claimed by another worker is not given up",
    file: "reports",
    rule: "other.partitions = other",
    broken: "if (false) other.partitions = other",
  },
  {
    name: "a late answer leaves the retry in the lane",
    file: "state",
    rule: "if (ofLostBatch)",
    broken: "if (false)",
  },
  {
    name: "adopted tasks are sent again",
    file: "decide",
    rule: 'sent.adopted && sent.phase.kind !== "lost"',
    broken: "false",
  },
  {
    name: "tasks stay open after the partition was lost",
    file: "decide",
    rule: "state.open.clear();",
    broken: "",
  },
  {
    name: "tasks stay queued after the partition was lost",
    file: "decide",
    rule: "state.lanes.clear();",
    broken: "",
  },
  {
    name: "two batches are staged",
    file: "worker-slot",
    rule: "stagedCount > 0",
    broken: "stagedCount > 1",
  },
  {
    name: "a silent worker is served",
    file: "workers",
    rule: "!isSilent(worker, now) && !worker.unresponsive",
    broken: "true",
  },
  {
    name: "a worker's own largest size is ignored",
    file: "batch-choice",
    rule: "Math.min(sizing.usefulSize, slot.sizeMax);",
    broken: "sizing.usefulSize;",
  },
  {
    name: "tasks are held without need",
    file: "batch-choice",
    rule: "count >= sizing.floor)",
    broken: "count > sizing.floor)",
  },
  {
    name: "tasks are held for ten staggers",
    file: "batch-choice",
    rule: "+ sizing.holdMs",
    broken: "+ 10 * sizing.holdMs",
  },
  {
    name: "the hop to the worker is not counted",
    file: "worker-slot",
    rule: "preparedAt = now + state.hops.toWorker.ms",
    broken: "preparedAt = now",
  },
  {
    name: "preparation is not counted",
    file: "worker-slot",
    rule: "+ lane.prepare.highMs(count)",
    broken: "",
  },
  {
    name: "the reply hop is not counted",
    file: "worker-slot",
    rule: "+ state.hops.reply.ms",
    broken: "",
  },
  {
    name: "a change of pace is taken for noise",
    file: "time-model",
    rule: "if (misses === missesOfJump)",
    broken: "if (false)",
  },
  {
    name: "the useful size is not capped",
    file: "batch-size",
    rule: "usefulShare = 0.95",
    broken: "usefulShare = 2",
  },
  {
    name: "infeasible deadlines are not refused",
    file: "admission",
    rule: "now + predictedMs > deadlineAt",
    broken: "false",
  },
  {
    name: "a queue that is too long is not refused",
    file: "admission",
    rule: "waitMs <= waitMaxMs)",
    broken: "true)",
  },
  {
    name: "a lane that refuses everything never probes",
    file: "admission",
    rule: "mayProbe(situation) ?",
    broken: "false ?",
  },
  {
    name: "all tenants share one queue",
    file: "fair-queue",
    rule: "this.#queueOf(tenant);",
    broken: 'this.#queueOf("all");',
  },
  {
    name: "early drop hits tenants within their share",
    file: "shedding",
    rule: "|| situation.lane.queue.isWithinShare(urgent.tenant.tenant)",
    broken: "",
  },
  {
    name: "a tenant within its share answers for the others' queue",
    file: "admission",
    rule: "|| lane.demand.isWithinShare(tenant, tasksPerMs, now)",
    broken: "",
  },
  {
    name: "another lane takes the slot of a more urgent one",
    file: "dispatch",
    rule: "other.deadlineAt < deadlineAt",
    broken: "false",
  },
  {
    name: "the work of competing lanes is not counted",
    file: "competing-lanes",
    rule: "Math.ceil(lane.dueBeforeCount(deadlineAt) / size) * batchMs",
    broken: "0",
  },
  {
    name: "a stall of the batcher counts as silence of the workers",
    file: "decide",
    rule: "worker.reportedAt += stalledMs",
    broken: "worker.reportedAt += 0",
  },
];

const active = process.env["MUTATION"];
if (active === undefined) runAll();
else breakRule(mutations.find(({ name }) => name === active)!);

/**
 * In the process of a test: changes the source of one module as it is loaded. Throws if the rule is not in
 * it.
 */
function breakRule({ name, file, rule, broken }: Mutation): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/src/scheduling/${file}.ts`)) return loaded;
      const source = Buffer.from(loaded.source as Uint8Array).toString();
      if (!source.includes(rule)) throw new Error(`${name}: ${file}.ts does not contain "${rule}" any more`);
      return { ...loaded, source: source.replace(rule, () => broken) };
    },
  });
}

function runAll(): void {
  const words = process.argv.slice(2).join(" ");
  console.log("| broken rule | simulations that notice | or, where none does, tests |\n|---|---|---|");
  for (const { name } of mutations.filter((each) => each.name.includes(words))) {
    const simulations = failingTests(name, ["{src,capacity}/**/*.sim.test.ts"]);
    const tests = simulations.length > 0 ? [] : failingTests(name, ["src/**/!(*.sim|*.live).test.ts"]);
    const none = simulations.length + tests.length === 0 ? "**none**" : "";
    console.log(`| ${name} | ${simulations.join("; ") || none} | ${tests.join("; ")} |`);
  }
}

/** Returns the names of the tests that fail with this mutation, on few seeds. */
function failingTests(mutation: string, files: string[]): string[] {
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const env = {
    ...process.env,
    SEEDS: "12",
    MUTATION: mutation,
    NODE_OPTIONS: `--import=${import.meta.url}`,
  };
  const run = spawnSync(process.execPath, ["--test", "--test-reporter=tap", ...files], { cwd, env });
  return [...String(run.stdout).matchAll(/^not ok \d+ - (.*)$/gm)].map((match) => match[1]!);
}

type Mutation = {
  name: string;
  /** Module of `src/scheduling` without its extension. */
  file: string;
  /** Text in it that makes the rule. */
  rule: string;
  broken: string;
};
