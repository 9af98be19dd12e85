import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { assertAnswered } from "../load/closed-loop.ts";
import { openGenerator } from "../load/generator.ts";
import { threadSeconds } from "../observe/processes.ts";
import { type Bench, leadersOf, openStack, type PartResult } from "../part.ts";
import { engineFor } from "../peers/faces/systems.ts";
import { facePictures, verifyBodies } from "../pictures.ts";
import { table } from "../report.ts";

/**
 * What /verify with real models uses the cores for: by thread, and by JavaScript function as V8's sampling
 * profiler sees it (`node --cpu-prof`). The profiles are kept: Chrome's developer tools and speedscope draw
 * flame graphs of them.
 */
export async function cpuProfile(bench: Bench): Promise<PartResult> {
  const { folder, quick, steps } = bench;
  const plan = { calls: quick ? 60 : 600, warmUps: 60, inFlight: 8 };
  const profiles = join(folder, "profiles");
  rmSync(profiles, { recursive: true, force: true });
  mkdirSync(profiles, { recursive: true });
  const leaders = () => leadersOf(bench);
  const { before, after, span, tookMs } = await steps.run("verify", async () => {
    const settings = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` };
    await using stack = await openStack(bench, settings, engineFor(availableParallelism()));
    await using generator = await openGenerator(bench.stop);
    let before: ReturnType<typeof threadSeconds>;
    let after: ReturnType<typeof threadSeconds>;
    const span = { fromUs: 0, toUs: 0 };
    const { tookMs, calls } = await generator.closedLoop(
      {
        target: stack.target("/verify", verifyBodies(facePictures().files)),
        inFlight: plan.inFlight,
        warmUp: { calls: plan.warmUps },
        counted: { calls: plan.calls },
        giveUpMs: 30_000,
      },
      {
        warm() {
          before = threadSeconds(leaders());
          span.fromUs = nowUs();
        },
        over() {
          span.toUs = nowUs();
          after = threadSeconds(leaders());
        },
      },
    );
    assertAnswered(calls, "/verify");
    return { before, after, span, tookMs };
  });
  const threads = [...(after ?? [])]
    .map(([name, seconds]) => ({ name, ms: (1_000 * (seconds - (before?.get(name) ?? 0))) / plan.calls }))
    .filter(({ ms }) => ms >= 0.1)
    .toSorted((a, b) => b.ms - a.ms);
  const functions = functionsOf(profiles, span).map((each) => ({ ...each, ms: each.ms / plan.calls }));
  return {
    plan,
    results: { tookMs, threads, functions },
    tables: [
      `${((1_000 * plan.calls) / tookMs).toFixed(1)} calls/s under the profiler; the profiles: ${profiles}`,
      table(
        ["process and threads", "CPU ms a call"],
        threads.map(({ name, ms }) => [name, ms.toFixed(1)]),
      ),
      "JavaScript by thread and function, without what it called:",
      table(
        ["thread", "function", "ms a call"],
        functions.slice(0, 25).map(({ thread, name, ms }) => [thread, name, ms.toFixed(2)]),
      ),
    ].join("\n\n"),
  };
}

/**
 * Self times of all profiles of a folder, by kind of thread: the file that a profile contains tells which it
 * is.
 */
function functionsOf(folder: string, span: Span): { thread: string; name: string; ms: number }[] {
  const threads = new Map<string, Map<string, number>>();
  for (const file of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
    const urls = profile.nodes.map(({ callFrame }) => callFrame.url);
    const thread = threadKinds.find((kind) => urls.some((url) => url.endsWith(kind.file)));
    if (thread === undefined) continue;
    const times = threads.get(thread.name) ?? new Map<string, number>();
    threads.set(thread.name, times);
    for (const [name, ms] of selfTimes(profile, span)) times.set(name, (times.get(name) ?? 0) + ms);
  }
  return [...threads]
    .flatMap(([thread, times]) => [...times].map(([name, ms]) => ({ thread, name, ms })))
    .toSorted((a, b) => b.ms - a.ms);
}

/**
 * Returns ms by function between two instants, without the functions that it called and without idle time.
 */
export function selfTimes(profile: CpuProfile, { fromUs, toUs }: Span): Map<string, number> {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let atUs = profile.startTime;
  for (const [index, node] of profile.samples.entries()) {
    const tookUs = profile.timeDeltas[index]!;
    atUs += tookUs;
    const name = names.get(node)!;
    if (atUs < fromUs || atUs > toUs || name === "(idle)") continue;
    times.set(name, (times.get(name) ?? 0) + tookUs / 1_000);
  }
  return times;
}

/** The function, with the package or the file of this repository that it is from. */
function nameOf({ functionName, url }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName || "(anonymous)";
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  const [, own] = /\/(?:ingress|batcher|inference|contracts)\/(.+)$/.exec(url) ?? [];
  const from = library ?? own?.replace(/^src\//, "");
  return from === undefined ? name : `${name} (${from})`;
}

/** The engine's thread is first: its process loads the worker's files too. */
const threadKinds = [
  { name: "engines", file: "/engine/engine-thread.ts" },
  { name: "workers", file: "/inference/src/worker.ts" },
  { name: "batcher", file: "/batcher/src/main.ts" },
  { name: "ingress", file: "/ingress/src/main.ts" },
];

/** The clock of the profiles: microseconds of the machine's monotonic clock. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n);

type Span = { fromUs: number; toUs: number };

/** What `node --cpu-prof` writes for a thread; times are in microseconds. */
export type CpuProfile = {
  startTime: number;
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
};
