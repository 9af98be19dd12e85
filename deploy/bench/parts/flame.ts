import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Bench, Measured } from "../bench.ts";
import { Caller } from "../caller.ts";
import { engineOn } from "../face-contenders.ts";
import { table } from "../figures.ts";
import { addProfile, type CpuProfile, Frame, flameGraph } from "../flame.ts";
import { dataUrl, facePictures, rotatingPairs } from "../pairs.ts";
import { openStack } from "../stack.ts";
import { threadSeconds } from "../threads.ts";

/** What /verify with real models spends the cores on: by thread, and as a flame graph of all JavaScript. */
export async function flame(bench: Bench): Promise<Measured> {
  const { folder, quick, key, steps } = bench;
  const plan = { calls: quick ? 60 : 600, warmUps: 60, inFlight: 8 };
  const bodies = rotatingPairs(facePictures().files, 12).map(([one, other]) => ({
    img1: dataUrl(one),
    img2: dataUrl(other),
  }));
  const profiles = join(folder, "profiles");
  rmSync(profiles, { recursive: true, force: true });
  mkdirSync(profiles, { recursive: true });
  const measured = await steps.run("verify", async () => {
    const settings = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` };
    await using stack = await openStack(bench, settings, engineOn(availableParallelism()));
    const service = new Caller(`${stack.address}/verify`, key, bodies);
    await service.flood(plan.warmUps, plan.inFlight);
    const leaders = bench.servers.watch.record?.leaders() ?? {};
    const before = threadSeconds(leaders);
    const from = now();
    const tookMs = await service.flood(plan.calls, plan.inFlight);
    const span = [from, now()] as const;
    return { before, after: threadSeconds(leaders), span, tookMs };
  });
  const file = join(folder, "flame.svg");
  writeFileSync(
    file,
    flameGraph(framesOf(profiles, measured.span), "Time of all JavaScript, /verify, 8 in flight"),
  );
  const { before, after, tookMs } = measured;
  const threads = [...(after ?? [])]
    .map(([name, seconds]) => ({ name, ms: (1_000 * (seconds - (before?.get(name) ?? 0))) / plan.calls }))
    .filter(({ ms }) => ms >= 0.1)
    .toSorted((a, b) => b.ms - a.ms);
  return {
    plan,
    results: { tookMs, threads },
    tables: [
      `${((1_000 * plan.calls) / tookMs).toFixed(1)} calls/s; the flame graph: ${file}`,
      table(
        ["process and threads", "ms of a core a call"],
        threads.map(({ name, ms }) => [name, ms.toFixed(1)]),
      ),
    ].join("\n\n"),
  };
}

/** A frame for each kind of thread: which it is tells the file that it began with. */
function framesOf(folder: string, span: readonly [number, number]): Frame[] {
  const frames = new Map<string, Frame>();
  for (const name of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), "utf8")) as CpuProfile;
    const urls = profile.nodes.map(({ callFrame }) => callFrame.url);
    const thread = THREADS.find(({ file }) => urls.some((url) => url.endsWith(file)));
    if (thread === undefined) continue;
    const frame = frames.get(thread.name) ?? new Frame(thread.name);
    frames.set(thread.name, frame);
    addProfile(frame, profile, span);
  }
  return [...frames.values()].filter(({ ms }) => ms > 0).toSorted((a, b) => b.ms - a.ms);
}

/** An engine's thread first: its process has the worker's files as well. */
const THREADS = [
  { name: "engines", file: "/engine/engine-thread.ts" },
  { name: "workers", file: "/inference/src/worker.ts" },
  { name: "batcher", file: "/batcher/src/main.ts" },
  { name: "ingress", file: "/ingress/src/main.ts" },
];

const now = (): number => Number(process.hrtime.bigint() / 1_000n);
