import { statSync } from "node:fs";
import sharp from "sharp";
import type { Bench, Measured } from "../bench.ts";
import { measureCpu } from "../cpu.ts";
import {
  engineOn,
  type FaceContender,
  faceContenders,
  faceline,
  type OpenFaces,
} from "../face-contenders.ts";
import { faceTables } from "../face-contest.ts";
import { type FaceCase, type FaceLoop, type FaceVerdicts, faceFigures, generator } from "../face-figures.ts";
import { findFacePeers } from "../face-peers.ts";
import { type Load, openLoad } from "../load.ts";
import { residentMib } from "../memory.ts";
import { dataUrl, facePictures, rotatingPairs } from "../pairs.ts";
import { processor } from "../results.ts";
import { askVerdicts, type Told, tally } from "../verdicts.ts";

/**
 * A /verify of two photographs with real models, here and in other servers: how soon, how many, for how much memory,
 * and how often right. All get the same pairs in turn; they take turns on the same cores, each started anew for each
 * round, and each round begins with another one.
 */
export async function faces(bench: Bench): Promise<Measured> {
  const { quick, steps, stop } = bench;
  const machine = processor();
  const plan: Plan = {
    rounds: quick ? 1 : 2,
    pairs: 12,
    inFlight: 8,
    busy: { warmUpMs: quick ? 2_500 : 5_000, countedMs: quick ? 5_000 : 15_000 },
    alone: { warmUpMs: quick ? 500 : 1_000, countedMs: quick ? 4_000 : 10_000 },
    verdicts: { forMs: quick ? 3_000 : 45_000, inFlight: machine.cores },
    giveUpMs: 20_000,
  };
  const found = findFacePeers(bench.folder);
  const { contenders, leftOut } = faceContenders(bench, found, machine.cores);
  const pictures = facePictures();
  const pairs = rotatingPairs(pictures.files, plan.pairs);
  const bodies = pairs.map(([first, second]) => ({ img1: dataUrl(first), img2: dataUrl(second) }));
  await using load = await openLoad(stop);

  const cases: FaceCase[] = [];
  const asked: (FaceVerdicts & { told: Told[] })[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    for (const contender of [...contenders.slice(round), ...contenders.slice(0, round)]) {
      if (leftOut.some(({ server }) => server === contender.name)) continue;
      try {
        await using open = await contender.open();
        const sent = { contender, open, load, bodies, plan };
        const name = `${contender.name}, ${round + 1} of ${plan.rounds}`;
        cases.push(await steps.run(name.padEnd(44), (note) => measure(bench, sent, round, note)));
        if (round === plan.rounds - 1 && pictures.labelled.length > 0) {
          for (const metric of contender.metrics) {
            const { labelled } = pictures;
            const told = await steps.run(`${contender.name}, verdicts, ${metric}`.padEnd(44), (note) =>
              judge(bench, { ...sent, metric, labelled }, note),
            );
            asked.push({ server: contender.name, metric, tally: tally(told), told });
          }
        }
      } catch (fault) {
        // Without itself there is nothing to compare; a peer that fails is named, and the others go on.
        if (stop.aborted || contender.name === faceline) throw fault;
        leftOut.push({ server: contender.name, why: (fault as Error).message });
      }
    }
  }

  const versions = found?.installed.versions ?? null;
  return {
    plan: { ...plan, engine: engineOn(machine.cores), pictures: pictures.what, peers: versions },
    results: { cases, verdicts: asked, leftOut },
    tables: faceTables({
      cases,
      figures: faceFigures(cases, asked),
      ours: faceline,
      pairs: pictures.labelled.length,
      leftOut,
      about: [
        `${machine.cores} cores, ${machine.cpu} (${machine.flags.join(" ")}); Node ${process.versions.node}; ${named(versions)}`,
        `${pairs.length} pairs in turn, ${pictures.what}: ${await sizes(pairs.flat())}`,
      ],
    }),
  };
}

async function measure(
  bench: Bench,
  sent: Sent,
  round: number,
  note: (words: string) => void,
): Promise<FaceCase> {
  const { contender, open, plan } = sent;
  const busy = await loop(sent, plan.inFlight, plan.busy);
  const mib = residentMib(open.leaders);
  const alone = await loop(sent, 1, plan.alone);
  bench.stop.throwIfAborted();
  const answered = busy.calls.filter(({ ended }) => ended === 200).length;
  if (answered === 0) {
    const ends = [...new Set(busy.calls.map(({ ended }) => ended))].join(", ") || "none ended";
    throw new Error(`no call was answered with 200 within ${busy.tookMs.toFixed(0)} ms (${ends})`);
  }
  note(`${((answered * 1_000) / busy.tookMs).toFixed(1)}/s`);
  return { server: contender.name, round, busy, alone, mib };
}

async function loop(
  { contender, open, load, bodies, plan }: Sent,
  inFlight: number,
  times: Times,
): Promise<FaceLoop> {
  const target = open.target(bodies.map((body) => JSON.stringify({ ...body, ...contender.fields })));
  const leaders = { ...open.leaders, [generator]: load.pid };
  let used = measureCpu(leaders);
  let cpu = used();
  const { giveUpMs } = plan;
  const timed = await load.timed(
    { target, inFlight, ...times, giveUpMs },
    {
      warm: () => void (used = measureCpu(leaders)),
      over: () => void (cpu = used()),
    },
  );
  return { ...timed, cpu };
}

async function judge(bench: Bench, sent: Judged, note: (words: string) => void): Promise<Told[]> {
  const { contender, open, plan, metric, labelled } = sent;
  const { fields } = contender;
  const { stop } = bench;
  const { giveUpMs } = plan;
  const target = open.target([]);
  const told = await askVerdicts({
    target,
    fields,
    metric,
    pairs: labelled,
    ...plan.verdicts,
    giveUpMs,
    stop,
  });
  note(`${tally(told).right} of ${told.length} right`);
  return told;
}

const named = (versions: Record<string, string> | null): string =>
  versions === null
    ? "no peers"
    : ["deepface", "gunicorn", "litserve", "fastapi", "dlib", "opencv-contrib-python-headless"]
        .map((name) => `${name} ${versions[name]}`)
        .join(", ");

async function sizes(files: string[]): Promise<string> {
  const shapes = await Promise.all(files.map((file) => sharp(file).metadata()));
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const megapixels = mean(shapes.map(({ width, height }) => (width * height) / 1e6));
  const kib = mean(files.map((file) => statSync(file).size / 1_024));
  return `mean ${megapixels.toFixed(2)} Mpx, ${kib.toFixed(0)} KiB`;
}

type Times = { warmUpMs: number; countedMs: number };

type Plan = {
  rounds: number;
  pairs: number;
  inFlight: number;
  busy: Times;
  alone: Times;
  verdicts: { forMs: number; inFlight: number };
  giveUpMs: number;
};

type Sent = {
  contender: FaceContender;
  open: OpenFaces;
  load: Load;
  bodies: { img1: string; img2: string }[];
  plan: Plan;
};

type Judged = Sent & { metric: FaceVerdicts["metric"]; labelled: Parameters<typeof askVerdicts>[0]["pairs"] };
