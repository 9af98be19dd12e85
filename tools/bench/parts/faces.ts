import { statSync } from "node:fs";
import { join } from "node:path";
import { facesFolder, type LabelledPair } from "@faceline/testing/faces";
import sharp from "sharp";
import { type Generator, type MeasuredLoop, measureLoop, openGenerator } from "../load/generator.ts";
import type { Target } from "../load/http-client.ts";
import { residentMib } from "../observe/processes.ts";
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
import { dataUrl, facePictures, neighbourPairs, shuffled, verifyBodies } from "../pictures.ts";
import { processor } from "../report.ts";
import { mean } from "../statistics.ts";
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
 * accuracy. All get the same pairs in turn. They take turns on the same cores, each started afresh for each
 * round, and each round begins with another one.
 */
export async function faces(bench: Bench): Promise<PartResult> {
  const { quick, steps, stop } = bench;
  const machine = processor();
  const plan: Plan = {
    rounds: quick ? 1 : 2,
    pairs: 12,
    inFlight: 8,
    busy: { warmUpMs: quick ? 2_500 : 5_000, countedMs: quick ? 5_000 : 15_000 },
    single: { warmUpMs: quick ? 500 : 1_000, countedMs: quick ? 4_000 : 10_000 },
    verdicts: { forMs: quick ? 3_000 : 45_000, inFlight: machine.cores },
    giveUpMs: 20_000,
  };
  const found = findFacePeers(bench.folder);
  const { systems, leftOut } = faceSystems(bench, found, machine.cores);
  const pictures = facePictures();
  const bodies = verifyBodies(pictures.files, plan.pairs);
  await using generator = await openGenerator(stop);

  const cases: FaceCase[] = [];
  const verdicts: (FaceVerdicts & { verdicts: Verdict[] })[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    for (const system of [...systems.slice(round), ...systems.slice(0, round)]) {
      if (leftOut.some(({ server }) => server === system.name)) continue;
      try {
        await using open = await system.open();
        const measured = { system, open, generator, bodies, plan };
        const name = `${system.name}, ${round + 1} of ${plan.rounds}`;
        cases.push(await steps.run(name.padEnd(44), (note) => measure(bench, measured, round, note)));
        if (round === plan.rounds - 1 && pictures.labelled.length > 0) {
          for (const metric of system.metrics) {
            const title = `${system.name}, verdicts, ${metric}`.padEnd(44);
            const all = await steps.run(title, async (note) => {
              const all = await requestVerdicts(measured, metric, pictures.labelled, stop);
              note(`${tally(all).right} of ${all.length} right`);
              return all;
            });
            verdicts.push({ server: system.name, metric, tally: tally(all), verdicts: all });
          }
        }
      } catch (fault) {
        // A peer that fails is named and left out. Without Faceline there is nothing to compare.
        if (stop.aborted || system.name === faceline) throw fault;
        leftOut.push({ server: system.name, why: (fault as Error).message });
      }
    }
  }

  const versions = found?.installed.versions ?? null;
  const sent = neighbourPairs(pictures.files, plan.pairs).flat();
  return {
    plan: { ...plan, engine: engineFor(machine.cores), pictures: pictures.what, peers: versions },
    results: { cases, verdicts, leftOut },
    tables: facesTables({
      cases,
      summaries: summariseFaces(cases, verdicts),
      own: faceline,
      pairs: pictures.labelled.length,
      leftOut,
      remarks: [
        `${machine.cores} cores, ${machine.cpu} (${machine.flags.join(" ")}); Node ${process.versions.node}; ${versionsText(versions)}`,
        `${bodies.length} pairs in turn, ${pictures.what}: ${await sizesText(sent)}`,
      ],
    }),
  };
}

async function measure(
  bench: Bench,
  measured: Measured,
  round: number,
  note: (words: string) => void,
): Promise<FaceCase> {
  const { system, open, plan } = measured;
  const busy = await loop(measured, plan.inFlight, plan.busy);
  const mib = residentMib(open.leaders);
  const single = await loop(measured, 1, plan.single);
  bench.stop.throwIfAborted();
  const answered = busy.calls.filter(({ status }) => status === 200).length;
  if (answered === 0) {
    const statuses = [...new Set(busy.calls.map(({ status }) => status))].join(", ") || "none ended";
    throw new Error(`no call was answered with 200 within ${busy.tookMs.toFixed(0)} ms (${statuses})`);
  }
  note(`${((answered * 1_000) / busy.tookMs).toFixed(1)}/s`);
  return { server: system.name, round, busy, single, mib };
}

function loop(
  { system, open, generator, bodies, plan }: Measured,
  inFlight: number,
  { warmUpMs, countedMs }: Times,
): Promise<MeasuredLoop> {
  return measureLoop(
    generator,
    {
      target: open.target(bodies.map((body) => JSON.stringify({ ...body, ...system.fields }))),
      inFlight,
      warmUp: { forMs: warmUpMs },
      counted: { forMs: countedMs },
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
    const reply = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal,
    });
    const answer = (await reply.json()) as { verified?: unknown; threshold?: unknown };
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
    : ["deepface", "gunicorn", "litserve", "fastapi", "dlib", "opencv-contrib-python-headless"]
        .map((name) => `${name} ${versions[name]}`)
        .join(", ");

async function sizesText(files: string[]): Promise<string> {
  const sizes = await Promise.all(files.map((file) => sharp(file).metadata()));
  const megapixels = mean(sizes.map(({ width, height }) => (width * height) / 1e6));
  const kib = mean(files.map((file) => statSync(file).size / 1_024));
  return `mean ${megapixels.toFixed(2)} Mpx, ${kib.toFixed(0)} KiB`;
}

type Times = { warmUpMs: number; countedMs: number };

/** `busy`: with `inFlight` calls in flight; `single`: with one. */
type Plan = {
  rounds: number;
  pairs: number;
  inFlight: number;
  busy: Times;
  single: Times;
  verdicts: { forMs: number; inFlight: number };
  giveUpMs: number;
};

type Measured = {
  system: FaceSystem;
  open: OpenFaceSystem;
  generator: Generator;
  bodies: { img1: string; img2: string }[];
  plan: Plan;
};
