// The cost of team limits: calls per second of a /verify of two vectors on one process, with and without
// limits, in turn. Needs the volatile Redis:
//
//     REDIS_VOLATILE_URL=redis://127.0.0.1:6379 node ingress/bench/limits.bench.ts
import { readConfig } from "@faceline/contracts/runtime/config";
import { newProcessId } from "@faceline/contracts/runtime/process";
import {
  connectVolatileRedis,
  type RedisConnection,
  VolatileRedisConfig,
} from "@faceline/contracts/runtime/redis";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import { openTeamLimiter } from "../src/limits/team-limiter.ts";
import { testKeyRecord } from "../testing/server.ts";
import { verifyRound } from "./verify-round.ts";

const rounds = 5;
const roundMs = 2_000;

await measure();

async function measure(): Promise<void> {
  const redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  const limiter = openTeamLimiter(redis, newProcessId("ingress"));
  // High enough that nobody is refused.
  const on = { requestsPerSecond: 1_000_000, requestsBurst: 1_000_000, inFlightMax: 1_000_000 };
  const cases: Record<string, LimitOverrides> = {
    "no limits": { requestsPerSecond: 0, requestsBurst: 0, inFlightMax: 0 },
    "rate alone": { ...on, inFlightMax: 0 },
    "in flight alone": { ...on, requestsPerSecond: 0 },
    both: on,
  };
  const results = new Map<string, Round[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, limits] of Object.entries(cases)) {
      const redisBefore = await cpuOf(redis);
      const { answered, cpuUs } = await verifyRound(roundMs, {
        findKey: async () => ({ ...testKeyRecord, limits }),
        acquireTeamSlot: limiter.acquire,
      });
      const redisUs = ((await cpuOf(redis)) - redisBefore) / answered;
      // The first round warms up.
      if (round >= 0) results.get(name)!.push({ perSecond: answered / (roundMs / 1_000), cpuUs, redisUs });
    }
  }
  console.log("                 calls/s   µs of the ingress' thread a call   µs of Redis a call");
  for (const [name, each] of results) {
    const median = (of: keyof Round, digits = 0) => {
      const inOrder = each.map((round) => round[of]).toSorted((a, b) => a - b);
      return inOrder[Math.floor(rounds / 2)]!.toFixed(digits);
    };
    console.log(
      `${name.padEnd(16)} ${median("perSecond").padStart(7)} ${median("cpuUs", 1).padStart(34)} ${median("redisUs", 1).padStart(20)}`,
    );
  }
  await limiter[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
}

/** The CPU time that Redis has used, in microseconds. */
async function cpuOf(redis: RedisConnection): Promise<number> {
  const info = await redis.info("cpu");
  const seconds = [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].map(([, value]) => Number(value));
  return seconds.reduce((a, b) => a + b, 0) * 1e6;
}

/** On a machine that others use too, CPU time per call is more exact than calls per second. */
type Round = { perSecond: number; cpuUs: number; redisUs: number };
