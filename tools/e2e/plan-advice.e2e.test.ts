// Covers the advice of `npm run plan -- run` on running services: tools/planner/search, tools/planner/advice.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { startStack } from "./stack/stack.ts";

// As on a GPU, a batch of 16 takes half as long again as one of 4. BATCH_MAX is 4 by default, which is right
// on a CPU: an operator who adds a GPU meets this. Runs need no core, so the client, three services and their
// workers fit on two.
const engine = "model:100+4b";
const token = "a-token-of-operators";
// Some 14 calls a second, and in bursts of 2 s five times as many. One worker with batches of 4 answers 34.
const traffic = "--draw bursts --rate 20 --seconds 40 --seed 3 --tenants 1 --pictures 1 --deadline 2000";
const target = "p99<600ms,shed<0.5%,late<0.5%";
const rounds = 2;

test("on a bursty trace the advice serves more calls in time, sooner and for less than the defaults", async (t) => {
  const plan = planIn(t);
  const sizes = ["--workers", "3", "--batch-max", "16", "--rounds", "3"];
  await plan.run("calibrate", "--engine", engine, ...sizes);

  const json = join(plan.folder, "plan.json");
  const search = ["run", ...traffic.split(" "), "--workers-max", "6"];
  t.diagnostic((await plan.run(...search, "--target", target, "--json", json)).text);
  const { winner, defaults: predicted } = JSON.parse(readFileSync(json, "utf8")) as PlanFile;

  const defaults = await startService(t, plan, winner.settings.workers);
  // Its workers have loaded batches of 4: the plan is refused, and names what to start them with.
  const refusal = await plan.run("apply", json, ...defaults.batcher);
  assert.equal(refusal.code, 2);
  const [, batchMax] =
    /start them with BATCH_MAX=(\d+) first/.exec(refusal.text.replaceAll(/\s+/g, " ")) ?? [];
  assert.equal(batchMax, `${winner.settings.batchMax}`, refusal.text);
  const settings = { BATCH_MAX: batchMax };
  const advised = await startService(t, plan, winner.settings.workers, settings);
  assert.equal((await plan.run("apply", json, ...advised.batcher)).code, 0);
  const enlarged = await startService(t, plan, predicted.fewest.settings.workers);

  const compared = [
    newCompared("defaults, as many workers", defaults, predicted.sameWorkers),
    newCompared("this plan", advised, winner),
    newCompared("defaults that meet the target", enlarged, predicted.fewest),
  ] as const;
  for (let round = 0; round < rounds; round++) {
    for (const { service, settings, measured } of compared) measured.push(await replay(service, settings));
  }
  t.diagnostic(tableOf(compared));

  const [before, after, enough] = compared.map(({ measured }) => meanOf(measured));
  assert.ok(compared[1].predicted.inTime > compared[0].predicted.inTime + 0.02);
  assert.ok(after!.inTime > before!.inTime + 0.02, "more calls in time");
  assert.ok(after!.p99Ms < before!.p99Ms, "a lower p99");
  assert.ok(after!.cost < before!.cost, "for less a call that was answered in time");
  assert.ok(enough!.inTime > before!.inTime + 0.02, "the defaults need the workers that were predicted");
  assert.ok(after!.cost < 0.6 * enough!.cost, "for less than these workers cost");

  const impossible = await plan.run(...search, "--target", "p99<90ms,shed<0.5%");
  assert.equal(impossible.code, 2);
  const advice = impossible.text.replaceAll(/\s+/g, " ");
  assert.match(advice, /6 workers, [^:]* hold p99 < \d+ ms, [^:]*: the nearest target that can be had/);
  assert.match(advice, /Up to 24 workers miss p99 < 90 ms, shed < 0.5 % as well/);

  async function replay({ options }: Service, { workers }: Settings): Promise<Values> {
    const file = join(plan.folder, "replay.json");
    await plan.run("replay", ...traffic.split(" "), ...options, "--json", file);
    const { calls, outcomes, p99Ms, forMs } = (JSON.parse(readFileSync(file, "utf8")) as ReplayFile).measured;
    const inTime = outcomes.answered / calls;
    return { inTime, p99Ms, cost: (workers * forMs) / calls / inTime };
  }
});

/** Runs `npm run plan` in a state folder of the test. A code of 2 is an answer too. */
function planIn(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "faceline-plan-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "token"), token, { mode: 0o600 });
  const run = async (...args: string[]): Promise<{ code: number; text: string }> => {
    const command = [join(repository, "tools/planner/main.ts"), ...args];
    const env = { ...process.env, FACELINE_STATE: folder };
    return promisify(execFile)(process.execPath, command, { env }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { code: number; stdout: string; stderr: string }) => {
        assert.equal(error.code, 2, `${error.stdout}${error.stderr}`);
        return { code: 2, text: error.stdout };
      },
    );
  };
  return { folder, run };
}

async function startService(
  t: Parameters<typeof startStack>[0],
  { folder }: ReturnType<typeof planIn>,
  workers: number,
  settings: Record<string, string> = {},
): Promise<Service> {
  const noLimits = { TEAM_REQUESTS_PER_SECOND: "0", TEAM_REQUESTS_BURST: "0" };
  const stack = await startStack(t, {
    workers,
    operators: true,
    settings: { ENGINE: engine, OPERATORS_TOKEN: token, ...noLimits, ...settings },
  });
  const keys = join(folder, `keys-${stack.pool}`);
  writeFileSync(keys, `${stack.key}\n`, { mode: 0o600 });
  const batcher = `http://127.0.0.1:${stack.operatorsPorts["batcher-1"]}`;
  return {
    options: ["--url", stack.address, "--key-file", keys],
    batcher: ["--url", batcher, "--token-file", join(folder, "token")],
  };
}

const newCompared = (name: string, service: Service, { settings, prediction }: Predicted): Compared => {
  const { shed, late, failed, p99Ms, workerSecondsPer1000 } = prediction;
  const inTime = 1 - shed - late - failed;
  const predicted = { inTime, p99Ms, cost: workerSecondsPer1000 / inTime };
  return { name, service, settings, predicted, measured: [] };
};

const meanOf = (all: readonly Values[]): Values => {
  const mean = (of: (values: Values) => number) => all.reduce((sum, each) => sum + of(each), 0) / all.length;
  return {
    inTime: mean(({ inTime }) => inTime),
    p99Ms: mean(({ p99Ms }) => p99Ms),
    cost: mean(({ cost }) => cost),
  };
};

/** The predicted and the measured values of each service, round by round. */
function tableOf(compared: readonly Compared[]): string {
  const text = ({ inTime, p99Ms, cost }: Values) => [
    `${(100 * inTime).toFixed(1)} %`,
    p99Ms.toFixed(0),
    cost.toFixed(1),
  ];
  const rows = compared.map(({ name, settings, predicted, measured }) => {
    const each = [text(predicted), ...measured.map(text)];
    const columns = ["inTime", "p99Ms", "cost"].map((_, column) =>
      each.map((values) => values[column]).join(" / "),
    );
    return `| ${[name, settings.workers, settings.batchMax, ...columns].join(" | ")} |`;
  });
  return [
    "Predicted / measured in each round. Cost: worker seconds for 1,000 calls that were answered in time.",
    "|  | workers | batch max | in time | p99 ms | cost |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Arguments that name a service, and its batcher. */
type Service = { options: string[]; batcher: string[] };

type Settings = { workers: number; batchMax: number };
type Predicted = {
  settings: Settings;
  prediction: { shed: number; late: number; failed: number; p99Ms: number; workerSecondsPer1000: number };
};

type Values = {
  /** Share of all calls. */
  inTime: number;
  p99Ms: number;
  /** Worker seconds for 1,000 calls that were answered in time. */
  cost: number;
};

type Compared = { name: string; service: Service; settings: Settings; predicted: Values; measured: Values[] };

type PlanFile = { winner: Predicted; defaults: { sameWorkers: Predicted; fewest: Predicted } };
type ReplayFile = {
  measured: { calls: number; outcomes: { answered: number }; p99Ms: number; forMs: number };
};
