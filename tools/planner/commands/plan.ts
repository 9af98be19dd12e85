import { rmSync } from "node:fs";
import { availableParallelism, cpus, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseOptions } from "@faceline/models/parse-options";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { EngineChoice } from "@faceline/inference/engine/modelled";
import { defaultModels } from "@faceline/runtime/models-config";
import { calibrateMachine } from "../calibration/calibrate-machine.ts";
import { parseTarget } from "../prediction/target.ts";
import { type Profile, readProfile } from "../profile/profile.ts";
import { recordCalls, recordingLines, traceBytesMax } from "../recording/record-calls.ts";
import { type ServiceSettings, readSettings, settingsInForce } from "../recording/service-settings.ts";
import { workersText } from "../report/words.ts";
import { drawTraffic } from "../trace/drawn-traffic.ts";
import type { ImageSize, Trace } from "../trace/trace.ts";
import { readTrace } from "../trace/trace-file.ts";
import { positive, shapeOf } from "../trace/traffic-options.ts";
import { profileLines } from "./calibrate.ts";
import type { CommandContext } from "./context.ts";
import { readImages, samplesFolder } from "./inputs.ts";
import { makePlan, targetDefault } from "./run.ts";
import { type FoundService, findRunning } from "./running.ts";
import { sendSynthetic } from "./synthetic-requests.ts";

export const planUsage = `npm run plan -- [options]

Records the requests of the service started by npm start, measures this machine if needed, and finds the cheapest
settings for these requests. If no requests arrive for some seconds, it sends synthetic ones. Takes a minute or two.

  --target TEXT        [${targetDefault}]
  --seconds N          time to record, from the first request  [60]
  --draw SHAPE         sends synthetic requests: poisson, bursts, diurnal or step
    --rate N           requests per second  [3]
  --calibrate          measures the machine again
`;

/**
 * Plans for the service that `npm start` runs. Returns the exit code, 2 without calls or where no settings
 * meet the target.
 */
export async function plan(args: string[], context: CommandContext): Promise<number> {
  const { values } = parseOptions({ args, options });
  const { stateFolder, print } = context;
  const target = parseTarget(values.target);
  const service = await findRunning(stateFolder);
  const pools = await Promise.all(service.batchers.map((port) => readSettings(port, service.token)));
  const pool = pools.find((each) => each?.isActive);
  if (pool === undefined) throw new Error("No batcher of the service is active yet. Retry in a few seconds.");
  print(`Found ${service.address}, with ${workersText(service.workers)}.`);

  const file = join(stateFolder, "plan", "latest.jsonl");
  rmSync(file, { force: true });
  const source = await recordOrDraw(file, { service, pool, values }, context);
  if (source === undefined) return 2;
  const trace = await readTrace(file);
  // What follows computes for seconds: calls of the service come first.
  setPriority(niceness);
  const profile = await profileFor(trace, { service, pool, isNew: values.calibrate }, context);
  return makePlan(
    {
      profile,
      trace,
      source,
      target,
    },
    context,
  );
}

/** Records calls into a file, those of others or drawn ones. Returns whose they are; undefined: none. */
async function recordOrDraw(
  file: string,
  { service, pool, values }: { service: FoundService; pool: ServiceSettings; values: PlanOptions },
  { print, progress }: CommandContext,
): Promise<string | undefined> {
  let source = "recorded just now";
  const seconds = positive(values.seconds, "--seconds");
  const shape = shapeOf(values.draw ?? "bursts");
  const perSecond = positive(values.rate, "--rate");
  const stop = new AbortController();
  const { signal } = stop;
  const opened = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const recording = recordCalls({
    file,
    ingresses: service.ingresses,
    token: service.token,
    settings: settingsInForce([pool]),
    bytesMax: traceBytesMax,
    stop: signal,
    onOpen: opened.resolve,
    onCall: first.resolve,
    progress,
  });
  const traffic = async (): Promise<void> => {
    await opened.promise;
    print(`Recording. Without a request in ${silenceMs / 1_000} s, synthetic ones are sent.`);
    const isSilent = async () =>
      Promise.race([first.promise.then(() => false), sleep(silenceMs, true, { signal })]);
    if (values.draw === undefined && !(await isSilent())) {
      print(`Requests are arriving: recording them for ${seconds} s.`);
      await sleep(1_000 * seconds, undefined, { signal });
    } else if (service.key === undefined) {
      print(`There is no development key to send requests with: waiting ${seconds} s for other requests.`);
      await sleep(1_000 * seconds, undefined, { signal });
    } else {
      source = "synthetic, so this plan suits requests like those; send your own before you apply it";
      const drawnSeconds = Math.min(seconds, drawnSecondsMax);
      print(
        `Sending synthetic requests for ${drawnSeconds} s: ${shape} of ${perSecond} per second, with two images each.`,
      );
      const [lane, size, deadlineMs] = [usualLane(pool), { bytes: 41_000, pixels: 327_680 }, 30_000];
      const { atMs } = drawTraffic({
        shape,
        seed: 1,
        perSecond,
        seconds: drawnSeconds,
        tenants: 1,
        lanes: [lane],
        images: 2,
        imageSize: size,
        deadlineMs,
        factor: 5,
      }).columns;
      await sendSynthetic(atMs, { url: service.address, key: service.key, lane, size, deadlineMs });
    }
    // An ingress sends its lines a few times a second.
    await sleep(settleMs, undefined, { signal });
  };
  try {
    await Promise.race([recording, traffic()]);
  } finally {
    stop.abort();
  }
  const result = await recording;
  for (const line of recordingLines(result, file)) print(line);
  if (result.calls === 0) print(`Send requests to ${service.address} meanwhile, and repeat this command.`);
  return result.calls > 0 ? source : undefined;
}

/** Returns the lane of the defaults where the pool has it, or else its first one. */
function usualLane({ lanes }: ServiceSettings): LaneId {
  const lane = lanes.find((each) => each.lane === defaultModels.lane) ?? lanes[0];
  if (lane === undefined) throw new Error("The workers have not loaded a model yet. Retry in a few seconds.");
  return lane.lane;
}

/** Returns the profile of this machine from the state folder; calibrates where there is none that fits. */
async function profileFor(
  trace: Trace,
  { service, pool, isNew }: { service: FoundService; pool: ServiceSettings; isNew: boolean },
  { stateFolder, print, progress }: CommandContext,
): Promise<Profile> {
  const out = join(stateFolder, "plan", "profile.json");
  const { lanes } = trace.columns;
  const { bytes, pixels } = trace.columns;
  const largest = { bytes: most(bytes), pixels: most(pixels) };
  const modelled = EngineChoice.parse(service.engine);
  const fault =
    modelled !== undefined
      ? "its engine is modelled"
      : isNew
        ? "as asked"
        : profileFault(out, { lanes, pool, workers: service.workers, largest });
  if (fault === undefined) {
    print(`The machine was measured before: ${out}. --calibrate measures it again.`);
    return readProfile(out);
  }
  print(`Measuring the machine beside the service, for about ${calibrationMs / 1_000} s: ${fault}.`);
  const profile = await calibrateMachine({
    out,
    modelled,
    lanes,
    workers: service.workers,
    batchMax: Math.max(batchMaxMin, ...pool.lanes.flatMap(({ sizes }) => sizes)),
    modelsDir: service.modelsDir,
    files: readImages(samplesFolder),
    largest,
    rounds: 20,
    forMs: calibrationMs,
    progress,
  });
  for (const line of profileLines(profile)) print(line);
  return profile;
}

/** Says, as a clause, why a profile does not fit machine, service and traffic; undefined if it does. */
function profileFault(
  file: string,
  {
    lanes,
    pool,
    workers,
    largest,
  }: { lanes: LaneId[]; pool: ServiceSettings; workers: number; largest: ImageSize },
): string | undefined {
  let profile: Profile;
  try {
    profile = readProfile(file);
  } catch {
    return "there is no profile of it yet";
  }
  const { machine, preparation } = profile;
  if (machine.cpu !== cpus()[0]?.model || machine.cores !== availableParallelism())
    return "it is another machine";
  for (const lane of lanes) {
    const measured = profile.lanes.find((each) => each.lane === lane);
    const loaded = pool.lanes.filter((each) => each.lane === lane);
    if (measured === undefined) return `its profile lacks ${lane}`;
    if (measured.contention.length !== workers)
      return "the service does not have as many workers as its profile";
    if (loaded.length > 0 && !loaded.some(({ digest }) => digest === measured.digest)) {
      return `the service has a different build of ${lane} than its profile`;
    }
    const sizes = measured.runs.map(({ size }) => size);
    if (loaded.some((each) => each.sizes.some((size) => !sizes.includes(size)))) {
      return "the service has different batch sizes than its profile";
    }
  }
  const { bytes, pixels } = preparation.measuredSizes ?? { bytes: [0, 0], pixels: [0, 0] };
  return largest.bytes > bytes[1] || largest.pixels > pixels[1]
    ? "its profile has no images that large"
    : undefined;
}

const most = (values: Uint32Array): number => values.reduce((largest, each) => Math.max(largest, each), 0);

const options = {
  target: { type: "string", default: targetDefault },
  seconds: { type: "string", default: "60" },
  draw: { type: "string" },
  rate: { type: "string", default: "3" },
  calibrate: { type: "boolean", default: false },
} as const;

type PlanOptions = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];

/** Drawn calls are all alike: more of them say no more. */
const drawnSecondsMax = 20;
const silenceMs = 5_000;
const settleMs = 1_000;
const calibrationMs = 20_000;
/** Larger batches than a service loads by default, so that a plan may recommend them. */
const batchMaxMin = 8;
const niceness = 10;
