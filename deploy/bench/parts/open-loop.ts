import { findVenv } from "../../testing/venv.ts";
import type { Bench, Measured } from "../bench.ts";
import { type Contender, contenders } from "../contenders.ts";
import { type Case, contestTables } from "../contest.ts";
import { measureCpu } from "../cpu.ts";
import { quantile } from "../figures.ts";
import { type Load, openLoad } from "../load.ts";
import { summarise } from "../outcomes.ts";
import { peersVenv } from "../peers.ts";
import { tiny } from "../pictures.ts";

/**
 * Calls that come whether or not the server keeps up, below and above what the engine can run. Faceline and its peers
 * take turns, with the same calls at the same instants, and each round begins with another one.
 */
export async function openLoop(bench: Bench): Promise<Measured> {
  const { quick, steps, say } = bench;
  const plan = {
    ...engine,
    deadlineMs: 300,
    giveUpMs: 3_000,
    ratesPerSecond: [250, 290, 350],
    repeats: quick ? 1 : 2,
    warmUpMs: quick ? 2_000 : 5_000,
    countedMs: quick ? 5_000 : 25_000,
  };
  const body = { img: (await tiny()).toString("base64") };
  const installed = findVenv(peersVenv(bench.folder));
  if (installed === undefined) {
    say(
      "The peers are not installed and left out: `npm run bench -- --setup` installs them (Python 3.10 or newer).",
    );
  }
  const servers = contenders(bench, installed, { ...plan, body });
  await using load = await openLoad(bench.stop);
  const results: Case[] = [];
  const rounds = Array.from({ length: plan.repeats }, (_, repeat) =>
    plan.ratesPerSecond.map((perSecond) => ({ perSecond, repeat })),
  ).flat();
  for (const [round, { perSecond, repeat }] of rounds.entries()) {
    const first = round % servers.length;
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      const result = await steps.run(
        `${perSecond}/s ${server.name}, ${repeat + 1} of ${plan.repeats}`.padEnd(36),
        async (note) => {
          const result = await measure(server, load, { ...plan, perSecond, repeat });
          note(`${(100 * result.summary.inTime).toFixed(1)} % in time`);
          return result;
        },
      );
      results.push(result);
    }
  }
  return {
    plan: { ...plan, body, peers: installed?.versions ?? null },
    results,
    tables: contestTables(results, plan.deadlineMs),
  };
}

/** What a full batch after another allows, on one worker. */
const engine = { engine: "model:40+2b", batchMax: 32, capacityPerSecond: (32 * 1_000) / (40 + 2 * 32) };

async function measure(server: Contender, load: Load, plan: CasePlan): Promise<Case> {
  const { perSecond, repeat, warmUpMs, countedMs, giveUpMs, deadlineMs } = plan;
  await using open = await server.open();
  const leaders = { ...open.leaders, "load generator": load.pid };
  const traffic = { seed: 1_000 * repeat + perSecond, perSecond, forMs: warmUpMs + countedMs };
  let warmAt = performance.now();
  let used = measureCpu(leaders);
  const calls = await load.open({ target: open.target, traffic, warmUpMs, giveUpMs }, () => {
    warmAt = performance.now();
    used = measureCpu(leaders);
    open.warm();
  });
  return {
    server: server.name,
    perSecond,
    repeat,
    summary: summarise(calls, deadlineMs),
    meanBatch: open.meanBatch(calls),
    sentAfterP99Ms: quantile(
      calls.map(({ sentAfterMs }) => sentAfterMs),
      0.99,
    ),
    cpu: used(),
    tookMs: performance.now() - warmAt,
    calls,
  };
}

type CasePlan = {
  perSecond: number;
  repeat: number;
  warmUpMs: number;
  countedMs: number;
  giveUpMs: number;
  deadlineMs: number;
};
