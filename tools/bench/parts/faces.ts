import { join } from "node:path";
import { facesFolder, type LabelledPair } from "@faceline/testing/faces";
import { dataUrl, faceImages, neighbourPairs, shuffled, sizesText, verifyBodies } from "../images.ts";
import { answeredPerSecond, type ClosedLoop } from "../load/closed-loop.ts";
import { type Generator, type MeasuredLoop, measureLoop, openGenerator } from "../load/generator.ts";
import type { Target } from "../load/http-client.ts";
import { memoryMib } from "../observe/processes.ts";
import type { Bench, PartResult } from "../part.ts";
import {
  engineFor,
  type FaceSystem,
  faceline,
  faceSystems,
  findFacePeers,
  type Metric,
  type OpenFaceSystem,
} from "../peers/faces/systems.ts";
import { processor } from "../report.ts";
import {
  type FaceCase,
  type FaceVerdicts,
  summariseFaces,
  tally,
  type Verdict,
  type VerdictAnswer,
} from "./faces-summary.ts";
import { facesTables } from "./faces-tables.ts";

/**
 * /verify of two photographs with real models, here and in other servers: latency, throughput, memory and
 * accuracy. All run side by side and get the same pairs. Load goes to one at a time, in slices of seconds,
 * and each round begins with another server: other work on the machine meets all of them, so the ratios of a
 * round hold beside it.
 */
export async function faces(bench: Bench): Promise<PartResult> {
  const { quick, steps, stop } = bench;
  const machine = processor();
  const installed = findFacePeers(bench.folder);
  const versions = installed?.versions ?? null;
  const images = faceImages();
  const plan = { ...planOf(quick, machine.cores), images: images.what, peers: versions };
  const { systems, leftOut } = faceSystems(bench, installed, machine.cores);
  const bodies = verifyBodies(images.files, plan.pairs);
  const sizes = await sizesText(neighbourPairs(images.files, plan.pairs).flat());
  await using generator = await openGenerator(stop);

  await using opened = new AsyncDisposableStack();
  const running: Measured[] = [];
  for (const system of systems) {
    try {
      await steps.run(`${system.name}, start and warm-up`, async () => {
        const measured = { system, open: opened.use(await system.open()), generator, bodies, plan };
        assertAnswers(await loop(measured, plan.inFlight, plan.warmUp));
        running.push(measured);
      });
    } catch (fault) {
      // A peer that fails is named and left out. Without Faceline there is nothing to compare.
      if (stop.aborted || system.name === faceline) throw fault;
      leftOut.push({ server: system.name, why: (fault as Error).message });
    }
  }

  const cases: FaceCase[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const first = round % running.length;
    await steps.run(`round ${round + 1} of ${plan.rounds}`.padEnd(16), async (note) => {
      for (const measured of [...running.slice(first), ...running.slice(0, first)]) {
        stop.throwIfAborted();
        cases.push(await measure(measured, round));
      }
      await bench.save({ plan, results: { cases, leftOut } });
      const rates = cases
        .filter((each) => each.round === round)
        .map(({ server, busy }) => `${server} ${answeredPerSecond(busy).toFixed(1)}/s`);
      note(rates.toSorted().join(", "));
    });
  }

  const verdicts: (FaceVerdicts & { verdicts: Verdict[] })[] = [];
  for (const measured of images.labelled.length > 0 ? running : []) {
    const { system } = measured;
    for (const metric of system.metrics) {
      const all = await steps.run(`${system.name}, verdicts, ${metric}`.padEnd(44), async (note) => {
        const all = await requestVerdicts(measured, metric, images.labelled, stop);
        note(`${tally(all).right} of ${all.length} right`);
        return all;
      });
      verdicts.push({ server: system.name, metric, tally: tally(all), verdicts: all });
      await bench.save({ plan, results: { cases, verdicts, leftOut } });
    }
  }

  return {
    plan,
    results: { cases, verdicts, leftOut },
    tables: facesTables({
      cases,
      summaries: summariseFaces(cases, verdicts),
      own: faceline,
      pairs: images.labelled.length,
      leftOut,
      remarks: [
        `${machine.cores} cores, ${machine.cpu} (${machine.flags.join(" ")}); Node ${process.versions.node}; ${versionsText(versions)}`,
        `${bodies.length} pairs in turn, ${images.what}: ${sizes}`,
      ],
    }),
  };
}

/** Slices of one round: `busy` with `inFlight` calls in flight, `single` with one. */
function planOf(quick: boolean, cores: number) {
  const slice = (warmUpMs: number, countedMs: number): Slice =>
    quick
      ? { warmUp: { calls: 0 }, counted: { calls: 2 } }
      : { warmUp: { forMs: warmUpMs }, counted: { forMs: countedMs } };
  return {
    rounds: quick ? 2 : 24,
    pairs: 12,
    inFlight: 8,
    warmUp: slice(0, 15_000),
    busy: slice(1_000, 5_000),
    single: slice(300, 3_000),
    verdicts: { forMs: quick ? 500 : 45_000, inFlight: cores },
    giveUpMs: 20_000,
    engine: engineFor(cores),
  };
}

async function measure(measured: Measured, round: number): Promise<FaceCase> {
  const { system, open, plan } = measured;
  const busy = await loop(measured, plan.inFlight, plan.busy);
  const mib = memoryMib(open.leaders, "Rss");
  const pssMib = memoryMib(open.leaders, "Pss");
  const single = await loop(measured, 1, plan.single);
  return { server: system.name, round, busy, single, mib, pssMib };
}

function assertAnswers({ calls, tookMs }: MeasuredLoop): void {
  if (calls.some(({ status }) => status === 200)) return;
  const statuses = [...new Set(calls.map(({ status }) => status))].join(", ") || "none ended";
  throw new Error(`no request was answered with 200 within ${tookMs.toFixed(0)} ms (${statuses})`);
}

function loop(
  { system, open, generator, bodies, plan }: Measured,
  inFlight: number,
  slice: Slice,
): Promise<MeasuredLoop> {
  return measureLoop(
    generator,
    {
      target: open.target(bodies.map((body) => JSON.stringify({ ...body, ...system.fields }))),
      inFlight,
      ...slice,
      giveUpMs: plan.giveUpMs,
    },
    open.leaders,
  );
}

/**
 * Requests verdicts about labelled pairs for a while at most; calls that were begun by then are waited for.
 */
async function requestVerdicts(
  { system, open, plan }: Measured,
  metric: Metric,
  pairs: LabelledPair[],
  stop: AbortSignal,
): Promise<Verdict[]> {
  const overAt = performance.now() + plan.verdicts.forMs;
  const verdicts: Verdict[] = [];
  const waiting = shuffled(pairs);
  const caller = async (): Promise<void> => {
    while (performance.now() < overAt && !stop.aborted) {
      const pair = waiting.shift();
      if (pair === undefined) return;
      const [img1, img2] = [pair.first, pair.second].map((name) => dataUrl(join(facesFolder, name)));
      const body = JSON.stringify({ img1, img2, ...system.fields, distance_metric: metric });
      const signal = AbortSignal.any([stop, AbortSignal.timeout(plan.giveUpMs)]);
      const answer = await verify(open.target([]), body, signal);
      verdicts.push({ ...pair, ...answer });
    }
  };
  await Promise.all(Array.from({ length: plan.verdicts.inFlight }, caller));
  return verdicts;
}

async function verify({ url, headers }: Target, body: string, signal: AbortSignal): Promise<VerdictAnswer> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal,
    });
    const answer = (await response.json()) as { verified?: unknown; threshold?: unknown };
    // A peer may answer an error with status 200 and a text.
    if (typeof answer.verified !== "boolean") return { verified: null };
    const threshold = typeof answer.threshold === "number" ? { threshold: answer.threshold } : {};
    return { verified: answer.verified, ...threshold };
  } catch {
    return { verified: null };
  }
}

const versionsText = (versions: Record<string, string> | null): string =>
  versions === null
    ? "no peers"
    : ["deepface", "gunicorn", "litserve", "fastapi", "onnxruntime", "opencv-contrib-python-headless"]
        .map((name) => `${name} ${versions[name]}`)
        .join(", ");

type Slice = Pick<ClosedLoop, "warmUp" | "counted">;

type Plan = ReturnType<typeof planOf>;

type Measured = {
  system: FaceSystem;
  open: OpenFaceSystem;
  generator: Generator;
  bodies: { img1: string; img2: string }[];
  plan: Plan;
};
