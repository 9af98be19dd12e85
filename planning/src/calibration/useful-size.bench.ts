import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "@faceline/batcher/simulation/random";
import type { UsefulSize } from "@faceline/contracts/stored/profile";
import { readProfile } from "../profile/profile.ts";
import { meanInterval } from "../profile/quantiles.ts";
import type { RunSample } from "./lane-profile.ts";
import { throughputShares, usefulSizeOf } from "./useful-size.ts";

// Whether calibrations of one machine agree on the useful size: calibrates it several times in a row, each in
// a process of its own, then draws further calibrations from the rounds of each (the bootstrap). Beside the
// rule stands the one before it, the ratio of means of 20 rounds.
//
//     node planning/src/calibration/useful-size.bench.ts [--folder FOLDER] [--calibrations 10] [-- OPTIONS]
//
// OPTIONS are those of `npm run plan -- calibrate`. With `--recorded` it draws from what an earlier command
// left in the folder, and measures nothing. Of several lanes the first one counts.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: "string", default: ".faceline/bench/useful-size" },
    calibrations: { type: "string", default: "10" },
    recorded: { type: "boolean", default: false },
    draws: { type: "string", default: "300" },
  },
});
const folder = resolve(values.folder);
const calibrations = Number(values.calibrations);
mkdirSync(folder, { recursive: true });
/** The default of `--rounds`, and of how far it goes. */
const roundsBefore = 20;
const roundsMax = 200;
const roundsPerLook = 10;
const attemptsMax = 20;
/** Of `npm run plan -- calibrate`. */
const busyCode = 3;

for (let index = 1; index <= calibrations && !values.recorded; index++) calibrate(index);

const random = new Random(1);
const all = { before: [] as number[], now: [] as number[] };
const head = ["calibration", "other cores", "useful size", "rounds", "share of the most, %", "before"];
console.log(`| ${[...head, "drawn, before", "drawn, now"].join(" | ")} |`);
console.log(`|${"---|".repeat(head.length + 2)}`);
for (let index = 1; index <= calibrations; index++) {
  const [samples = []] = JSON.parse(readFileSync(samplesFile(index), "utf8")) as RunSample[][];
  const rounds = roundsOf(samples);
  const draws = Array.from({ length: Number(values.draws) }, () => draw(rounds));
  const before = draws.map((drawn) => sizeByMeans(drawn.slice(0, roundsBefore)));
  const now = draws.map((drawn) => settled(drawn).size);
  all.before.push(...before);
  all.now.push(...now);
  const { lanes, noise } = readProfile(profileFile(index));
  const { usefulSize } = lanes[0]!;
  const cells = [
    index,
    noise.toFixed(2),
    usefulSize === null ? "none" : usefulText(usefulSize),
    rounds.length,
    sharesText(samples),
    sizeByMeans(rounds.slice(0, roundsBefore)),
    countsText(before),
    countsText(now),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
console.log(`\nDrawn from all: before ${countsText(all.before)}; now ${countsText(all.now)}.`);

/** A calibration that found the machine busy has written nothing, and is tried again. */
function calibrate(index: number): void {
  const files = ["--out", profileFile(index), "--samples", samplesFile(index)];
  const command = [join(import.meta.dirname, "../main.ts"), "calibrate", ...files, ...positionals];
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const { status } = spawnSync(process.execPath, command, { stdio: ["ignore", "ignore", "inherit"] });
    if (status === 0) return;
    if (status !== busyCode) throw new Error(`calibration ${index} ended with ${status}`);
    console.error(`calibration ${index}, attempt ${attempt}: the machine was busy`);
  }
  throw new Error(`the machine was busy in each of ${attemptsMax} attempts`);
}

/** Of runs alone. */
function roundsOf(samples: readonly RunSample[]): RunSample[][] {
  const alone = samples.filter(({ besides }) => besides === 0);
  return [...Map.groupBy(alone, ({ round }) => round).values()];
}

/** As many rounds as a calibration may take, from those that one took. */
function draw(rounds: readonly RunSample[][]): RunSample[][] {
  return Array.from({ length: roundsMax }, (_, round) =>
    rounds[random.below(rounds.length)]!.map((sample) => ({ ...sample, round })),
  );
}

/** The answer of a calibration that measures these rounds, as far as it needs them. */
function settled(rounds: readonly RunSample[][]): UsefulSize {
  for (let count = roundsBefore; ; count += roundsPerLook) {
    const usefulSize = usefulSizeOf(rounds.slice(0, count).flat());
    if (usefulSize.undecided.length === 0 || count >= rounds.length) return usefulSize;
  }
}

/** The rule before: the smallest size whose mean throughput is 95 % of the best. */
function sizeByMeans(rounds: readonly RunSample[][]): number {
  const bySize = [...Map.groupBy(rounds.flat(), ({ size }) => size)].toSorted(([a], [b]) => a - b);
  const throughputs = bySize.map(([size, runs]) => ({
    size,
    perMs: size / meanInterval(runs.map(({ ms }) => ms)).mean,
  }));
  const best = Math.max(...throughputs.map(({ perMs }) => perMs));
  return throughputs.find(({ perMs }) => perMs >= 0.95 * best)!.size;
}

function sharesText(samples: readonly RunSample[]): string {
  const percent = (share: number) => (100 * share).toFixed(1);
  return throughputShares(samples)
    .map(({ size, share, plusMinus }) => `${size}: ${percent(share)} ± ${percent(plusMinus)}`)
    .join(", ");
}

function usefulText({ size, undecided }: UsefulSize): string {
  return undecided.length === 0 ? `${size}` : `${size} (${undecided.join(", ")} undecided)`;
}

/** `4: 98.0 %, 8: 2.0 %`. */
function countsText(sizes: readonly number[]): string {
  return [...Map.groupBy(sizes, (size) => size)]
    .toSorted(([a], [b]) => a - b)
    .map(([size, each]) => `${size}: ${((100 * each.length) / sizes.length).toFixed(1)} %`)
    .join(", ");
}

function profileFile(index: number): string {
  return join(folder, `profile-${index}.json`);
}

function samplesFile(index: number): string {
  return join(folder, `samples-${index}.json`);
}
