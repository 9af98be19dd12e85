import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answeredPerSecond, type ClosedLoop } from "../load/closed-loop.ts";
import { type Generator, measureLoop, openGenerator } from "../load/generator.ts";
import { IpcChild } from "../observe/ipc-child.ts";
import type { Cpu } from "../observe/processes.ts";
import type { Bench, PartResult } from "../part.ts";
import { comparisonOfVectors } from "../pictures.ts";
import { cpuTable, medianAndRange, table } from "../report.ts";
import { quantile } from "../statistics.ts";

/**
 * The HTTP side of the ingress in isolation, beside a plain Fastify that parses the same JSON and answers {}:
 * how many large comparisons it does, and how long other clients wait meanwhile. The two take turns.
 */
export async function ingress(bench: Bench): Promise<PartResult> {
  const { quick, key, steps, stop } = bench;
  const plan = {
    vectorLength: 512,
    inFlight: 8,
    candidates: 1_000,
    /** Some 8 MiB of JSON. */
    largeCandidates: 800,
    senders: 4,
    pingEveryMs: 20,
    rounds: quick ? 1 : 5,
    warmUpMs: quick ? 1_000 : 3_000,
    countedMs: quick ? 3_000 : 10_000,
  };
  await using isolated = await openServer(stop, "ingress", key, `${plan.vectorLength}`);
  await using plain = await openServer(stop, "bare");
  await using generator = await openGenerator(stop);
  const servers = [
    { name: "ingress", server: isolated },
    { name: "plain Fastify", server: plain },
  ];
  const large = comparisonOfVectors(plan.vectorLength, plan.largeCandidates);
  const bodies: Bodies = {
    compared: comparisonOfVectors(plan.vectorLength, plan.candidates),
    large,
    // Wrong in its last byte alone, so that all of it is read before it is refused.
    malformed: large.slice(0, -1),
  };
  const results: Round[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    for (const { name, server } of round % 2 === 0 ? servers : servers.toReversed()) {
      const measured = await steps.run(`${name}, ${round + 1} of ${plan.rounds}`, () =>
        measure({ server, generator, key, bodies, ...plan }),
      );
      results.push({ server: name, round, ...measured });
    }
  }
  const bytes = Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, body.length]));
  return { plan: { ...plan, bytes }, results, tables: tablesOf(results) };
}

/** Either server in a process of its own: no Kafka, no Redis, no worker. */
async function openServer(stop: AbortSignal, ...args: ServerArgs): Promise<Server> {
  const child = new IpcChild("a server of the benchmark", "ingress/bench/alone.bench.ts", args, { stop });
  const { port } = (await child.receive()) as { port: number };
  return {
    address: `http://127.0.0.1:${port}`,
    pid: child.pid,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function measure(options: Options): Promise<Measurement> {
  const { server, generator, key, bodies, warmUpMs, countedMs, inFlight, senders, pingEveryMs } = options;
  const loop = (body: string, inFlight: number, warmUpMs: number): ClosedLoop => ({
    target: { url: `${server.address}/compare`, headers: { "x-api-key": key }, bodies: [body] },
    inFlight,
    warmUp: { forMs: warmUpMs },
    counted: { forMs: countedMs },
    giveUpMs: 30_000,
  });
  const compared = loop(bodies.compared, inFlight, warmUpMs);
  const { calls, tookMs, cpu } = await measureLoop(generator, compared, { server: server.pid });
  const pings = (body: string) =>
    pingsDuring(`${server.address}/health`, pingEveryMs, generator.closedLoop(loop(body, senders, 0)));
  const large = await pings(bodies.large);
  const malformed = await pings(bodies.malformed);
  return { perSecond: answeredPerSecond({ calls, tookMs }), tookMs, cpu, pingMs: { large, malformed } };
}

/**
 * Requests a page every `everyMs` until `work` has ended, and returns the latency of each request in ms, from
 * when it was due: a server that stalls is requested as often as one that does not.
 */
async function pingsDuring(url: string, everyMs: number, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const pending: Promise<number>[] = [];
  const startedAt = performance.now();
  for (let dueMs = 0; !over.signal.aborted; dueMs += everyMs) {
    const aheadMs = dueMs - (performance.now() - startedAt);
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    pending.push(ping(url, startedAt + dueMs));
  }
  await ended;
  return Promise.all(pending);
}

function ping(url: string, dueAt: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const call = get(url, { agent: false }, (response) => {
    response.resume();
    response.on("end", () => resolve(performance.now() - dueAt));
    response.on("error", reject);
  });
  call.on("error", reject);
  return promise;
}

function tablesOf(results: Round[]): string {
  const servers = [...new Set(results.map(({ server }) => server))];
  const rows = servers.map((server) => {
    const rounds = results.filter((each) => each.server === server);
    const rates = rounds.map(({ perSecond }) => perSecond);
    const pings = (body: keyof Measurement["pingMs"]) => {
      const all = rounds.flatMap(({ pingMs }) => pingMs[body]);
      return `${quantile(all, 0.5).toFixed(0)} / ${quantile(all, 0.99).toFixed(0)}`;
    };
    return [server, medianAndRange(rates, 1), pings("large"), pings("malformed")];
  });
  return [
    table(
      ["server", "comparisons/s", "/health p50 / p99 ms beside 8 MiB", "and beside malformed ones"],
      rows,
    ),
    "Cores in use by process, while it compares:",
    cpuTable(results.map((each) => ({ ...each, name: `${each.server}, ${each.round + 1}` }))),
  ].join("\n\n");
}

type ServerArgs = ["bare"] | ["ingress", key: string, vectorLength: string];
type Server = AsyncDisposable & { address: string; pid: number };
type Bodies = Record<"compared" | "large" | "malformed", string>;
type Options = { server: Server; generator: Generator; key: string; bodies: Bodies } & Record<
  "inFlight" | "senders" | "pingEveryMs" | "warmUpMs" | "countedMs",
  number
>;
/** `pingMs`: latencies of /health while bodies of that kind are sent. */
type Measurement = {
  perSecond: number;
  tookMs: number;
  cpu: Cpu;
  pingMs: Record<"large" | "malformed", number[]>;
};
type Round = Measurement & { server: string; round: number };
