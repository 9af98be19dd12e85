// The cost of counting calls for their teams: CPU time of a /verify of two vectors, counted and not counted
// in turn; of one count; and of a write of as many counters as an ingress may hold. Needs the durable Redis:
//
//     REDIS_DURABLE_URL=redis://127.0.0.1:6380 node ingress/bench/usage.bench.ts
import { dayOf } from "@faceline/accounts/usage/days";
import { PendingUsage } from "@faceline/accounts/usage/pending-usage";
import { allTeams, writeUsage } from "@faceline/accounts/usage/write-usage";
import { readConfig } from "@faceline/contracts/runtime/config";
import { metricsOff } from "@faceline/contracts/runtime/metrics/metrics";
import { newProcessId } from "@faceline/contracts/runtime/process";
import { connectDurableRedis, DurableRedisConfig } from "@faceline/contracts/runtime/redis";
import { usageByTeamKey, usageKey } from "@faceline/contracts/wire/names";
import { openUsageCounter } from "../src/accounts/usage-counter.ts";
import { testKeyRecord, testNow } from "../testing/server.ts";
import { verifyRound } from "./verify-round.ts";

const rounds = 15;
const roundMs = 1_000;
const countersMax = 10_000;
/** Teams that no bench or test uses. */
const team = (index: number): string => `usage-bench-${index}`;

await using durable = await connectDurableRedis(readConfig(DurableRedisConfig, process.env));
await compareCalls();
countOnly();
await writeMany();
await cleanUp();

async function compareCalls(): Promise<void> {
  await using counter = openUsageCounter({
    durable,
    ingress: newProcessId("ingress"),
    config: { USAGE_WRITE_EVERY_MS: 500, USAGE_COUNTERS_MAX: countersMax },
    log: { warn: console.error },
    lines: { warn: console.error },
    metrics: metricsOff,
  });
  const findKey = async () => ({ ...testKeyRecord, key: { ...testKeyRecord.key, team: team(0) } });
  const cases = { "not counted": () => {}, counted: counter.count };
  const cpuUs: Record<string, number[]> = { "not counted": [], counted: [] };
  const differences: number[] = [];
  for (let round = -1; round < rounds; round++) {
    // Another one begins each time, so that a drift of the machine hits both.
    const names = Object.keys(cases) as (keyof typeof cases)[];
    const measured: Record<string, number> = {};
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name] = (await verifyRound(roundMs, { findKey, recordCall: cases[name] })).cpuUs;
    }
    // The first round warms up.
    if (round < 0) continue;
    for (const name of names) cpuUs[name]!.push(measured[name]!);
    differences.push(measured["counted"]! - measured["not counted"]!);
  }
  console.log(
    `CPU time of the ingress' thread for a call, µs: median of ${rounds} rounds (lowest to highest)`,
  );
  for (const [name, each] of [...Object.entries(cpuUs), ["difference", differences] as const]) {
    const [lowest, median, highest] = quantiles(each);
    console.log(`  ${name.padEnd(12)} ${median} (${lowest} to ${highest})`);
  }
}

function countOnly(): void {
  const calls = 2_000_000;
  const pending = new PendingUsage({ countersMax });
  const endedAt = Date.now();
  const startedAt = performance.now();
  for (let call = 0; call < calls; call++) {
    pending.add({ team: team(call % 100), endpoint: "/verify", outcome: "ok", endedAt, requestId: "a" });
  }
  const ns = (1e6 * (performance.now() - startedAt)) / calls;
  console.log(`one count, of 100 teams: ${ns.toFixed(0)} ns`);
}

async function writeMany(): Promise<void> {
  const ingress = newProcessId("ingress");
  const takenMs: number[] = [];
  for (let number = 1; number <= rounds; number++) {
    const pending = new PendingUsage({ countersMax });
    for (let index = 0; index < countersMax; index++) {
      pending.add({ team: team(index), endpoint: "/verify", outcome: "ok", endedAt: 0, requestId: "a" });
    }
    const startedAt = performance.now();
    await writeUsage(durable, { ingress, number }, pending.take());
    takenMs.push(performance.now() - startedAt);
  }
  const [lowest, median, highest] = quantiles(takenMs);
  console.log(`a write of ${countersMax} counters: ${median} ms (${lowest} to ${highest})`);
}

/** What was written: the calls at the instant of the test server, the counters of 1970. */
async function cleanUp(): Promise<void> {
  const keys = [testNow, 0].flatMap((at) => {
    const teams = Array.from({ length: countersMax }, (_, index) => usageKey(team(index), dayOf(at)));
    return [...teams, usageKey(allTeams, dayOf(at)), usageByTeamKey(dayOf(at))];
  });
  await durable.unlink(keys);
}

function quantiles(values: number[]): string[] {
  const inOrder = values.toSorted((a, b) => a - b);
  return [inOrder[0]!, inOrder[Math.floor(values.length / 2)]!, inOrder.at(-1)!].map((each) =>
    each.toFixed(1),
  );
}
