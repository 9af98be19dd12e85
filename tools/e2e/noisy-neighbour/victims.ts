import { randomBytes } from "node:crypto";
import { newApiKey, storeApiKey } from "@faceline/accounts/keys/api-keys";
import { connectRedis } from "@faceline/runtime/redis";
import { type Generator, openGenerator } from "@faceline/bench/load/generator";
import { type OpenLoopCall, outcomeOf } from "@faceline/bench/load/open-loop";
import { quantile } from "@faceline/contracts/testing/quantile";

/** Makes keys, each of a new team with the default limits. */
export async function newTeams(durableUrl: string, count: number): Promise<string[]> {
  await using redis = await connectRedis("REDIS_DURABLE_URL", durableUrl, 5_000);
  const keys = Array.from({ length: count }, () => newApiKey());
  for (const key of keys) {
    await storeApiKey(redis, key, {
      team: `team-${randomBytes(6).toString("hex")}`,
      name: "noisy neighbour",
    });
  }
  return keys;
}

/** The teams that are measured: each is a load generator in a process of its own. */
export class Victims implements AsyncDisposable {
  readonly #plan: VictimsPlan;
  readonly #generators: Generator[];

  private constructor(plan: VictimsPlan, generators: Generator[]) {
    this.#plan = plan;
    this.#generators = generators;
  }

  static async open(plan: VictimsPlan): Promise<Victims> {
    const never = new AbortController().signal;
    return new Victims(plan, await Promise.all(plan.keys.map(() => openGenerator(never))));
  }

  /**
   * Sends calls for `countedMs` after a warm-up, and returns what each team got. The calls come at the same
   * instants each time: of a hundred of them, the p99 is that of the worst burst, so other instants would
   * compare bursts.
   */
  async measure(): Promise<Service> {
    const { url, keys, bodies, deadlineMs, perSecond, warmUpMs, countedMs } = this.#plan;
    const teams = await Promise.all(
      this.#generators.map((generator, team) => {
        const headers = { "x-api-key": keys[team]!, "x-request-timeout-ms": `${deadlineMs}` };
        const traffic = { seed: team, perSecond, forMs: warmUpMs + countedMs };
        const plan = { target: { url, headers, bodies }, traffic, warmUpMs, giveUpMs: deadlineMs };
        return generator.openLoop(plan, () => {});
      }),
    );
    return serviceOf(teams, deadlineMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#generators.map((generator) => generator[Symbol.asyncDispose]()));
  }
}

function serviceOf(teams: OpenLoopCall[][], deadlineMs: number): Service {
  const inTime = (calls: OpenLoopCall[]) => calls.filter((call) => outcomeOf(call, deadlineMs) === "in time");
  const all = teams.flat();
  // A call that was not answered in time has waited for its deadline.
  const tookMs = all.map((call) => (call.status === 200 ? call.tookMs : deadlineMs));
  return {
    calls: all.length,
    inTime: inTime(all).length,
    teams: teams.map((calls) => ({ calls: calls.length, inTime: inTime(calls).length })),
    p99Ms: quantile(tookMs, 0.99),
  };
}

type VictimsPlan = {
  url: string;
  /** One for each team. */
  keys: string[];
  /** Bodies of /verify, sent in turn. */
  bodies: string[];
  deadlineMs: number;
  /** Calls of each team. */
  perSecond: number;
  warmUpMs: number;
  countedMs: number;
};

/** Answers of the teams together, and of each. `inTime`: calls that were answered with 200 in time. */
export type Service = {
  calls: number;
  inTime: number;
  teams: { calls: number; inTime: number }[];
  p99Ms: number;
};
