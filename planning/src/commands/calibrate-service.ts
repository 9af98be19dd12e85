import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fitToLoad } from "../calibration/load-fit.ts";
import { noiseSentence, watchOtherWork } from "../calibration/machine-noise.ts";
import { withoutSimulatedGap } from "../calibration/run-gap.ts";
import { fitFault, runsFault, serviceProfile } from "../calibration/service-profile.ts";
import { idleCores, sampleService } from "../calibration/service-samples.ts";
import type { StageTimes } from "../prediction/call-recorder.ts";
import { predict } from "../prediction/predict.ts";
import type { LaneProfile, Profile } from "@faceline/contracts/stored/profile";
import { readProfile } from "../profile/profile.ts";
import { valueAt } from "../profile/quantiles.ts";
import { measuredOf } from "../replay/comparison.ts";
import { replayTrace } from "../replay/load.ts";
import { stockPictures } from "../replay/picture-stock.ts";
import { watchService } from "../replay/service-counters.ts";
import { sizedJpeg } from "../replay/sized-jpeg.ts";
import { drawTraffic } from "../trace/drawn-traffic.ts";
import { repeatedTrace } from "../trace/trace-part.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { isLoopback, readLines, samplePhotographs, tokenOf, workersPerMachine } from "./inputs.ts";

/** Measures a running service and adds it to a profile. Returns the exit code. */
export async function calibrateService(
  values: ServiceOptions,
  { stateFolder, print, progress }: CommandContext,
): Promise<number> {
  const { url, operators, "key-file": keyFile } = values;
  if (url === undefined || keyFile === undefined || operators === undefined) {
    throw new Error("A service is measured with --url URL, --key-file FILE and --operators LIST, all three.");
  }
  const file = values.out ?? join(stateFolder, "plan", "profile.json");
  const profile = readProfile(file);
  const lane = profile.lanes[0]!;
  const token = tokenOf(values);
  const jpeg = await sizedJpeg(samplePhotographs()[0]!, picture);
  const large = await sizedJpeg(samplePhotographs()[0]!, { ...picture, bytes: largeBytes });
  const base64 = (bytes: Buffer) => Buffer.from(bytes.toString("base64"), "latin1");
  const forMs = 1_000 * positive(values.seconds, "--seconds");
  const isAccepted = values["accept-noise"];
  const noisy = (sentence: string) =>
    print(
      `THIS MACHINE IS NOT QUIET: ${sentence}. ` +
        (isAccepted
          ? "The profile will be marked."
          : "Stop what runs beside this, or go on with --accept-noise."),
    );
  const otherLanes = profile.lanes.slice(1).map((each) => each.lane);
  print(`This takes about ${Math.ceil(((measurements + otherLanes.length) * forMs) / 60_000)} min.`);
  const idle = await idleCores(forMs / 2);
  const isIdle = idle <= idleCoresMax;
  if (!isIdle) {
    noisy(`without calls it uses ${idle.toFixed(2)} cores, more than ${idleCoresMax}`);
    if (!isAccepted) return 3;
  }
  const key = readLines(keyFile)[0]!;
  const beside = watchOtherWork();
  const samples = await sampleService({
    url,
    idleCores: idle,
    key,
    lane: lane.lane,
    otherLanes,
    picture: base64(jpeg),
    largePicture: base64(large),
    pixels: picture.pixels,
    inFlight: Math.max(8, 4 * lane.runs.at(-1)!.size),
    forMs,
    watch: () => watchService(operators.split(","), token),
    progress,
  });
  const sampled = serviceProfile(samples, profile, { lane, picture });
  const impossible = runsFault(sampled, lane);
  if (impossible !== undefined) {
    progress("");
    print(`${impossible} Nothing was written: ${file} keeps what it has of the service.`);
    return 3;
  }
  // Beside other work, a fit that cannot be right is that of the other work.
  const keepsCpu = !isIdle && fitFault(sampled) !== undefined;
  const measured = { ...profile, service: keepsCpu ? { ...sampled, cpu: profile.service.cpu } : sampled };
  const sizes = samples.loads.flatMap(({ counts }) => [...counts.runsBySize.keys()]);
  const { service } = await fitToSteadyLoad(measured, { url, key, lane, sizes, forMs, progress });
  progress("");
  // The service itself is other programs to this one, so that only the hypervisor counts.
  const { stolenCores } = beside();
  const stolen = noiseSentence({ othersCores: 0, stolenCores });
  if (stolen !== undefined) {
    noisy(stolen);
    if (!isAccepted) return 3;
  }
  const isQuiet = isIdle && stolen === undefined;
  const most = Math.max(profile.noise, stolenCores, isIdle ? 0 : idle);
  const noise = { acceptedNoise: true, noise: Number(most.toFixed(3)) };
  copyFileSync(file, `${file}.before`);
  writeFileSync(`${file}.part`, JSON.stringify({ ...profile, ...(!isQuiet && noise), service }, null, 1));
  renameSync(`${file}.part`, file);
  const { intakeMs, toWorkerMs, replyMs, fetchMs, cpu } = measured.service;
  const hops = [intakeMs, toWorkerMs, replyMs, fetchMs].map((ms) => ms.toFixed(1));
  print(
    `On an idle service: intake ${hops[0]} ms, to the worker ${hops[1]}, reply ${hops[2]}, fetching ${hops[3]}.`,
  );
  const at = (share: number) => ({
    hops: valueAt(service.factors, share).toFixed(2),
    fetch: (service.fetchMs + valueAt(service.fetchMoreMs, share)).toFixed(1),
    run: (service.handoverMs + valueAt(service.handoverMoreMs, share)).toFixed(1),
  });
  const [median, rare] = [at(0.5), at(0.99)];
  print(
    "At three quarters of the most that it answers, in the median and at p99: hops take x " +
      `${median.hops} and ${rare.hops}, fetching ${median.fetch} and ${rare.fetch} ms, and a run ` +
      `${median.run} and ${rare.run} ms more than its share of the cores says.`,
  );
  print(
    `CPU time around the engine: ${cpu.callMs.toFixed(2)} ms for a call, ${cpu.pictureMs.toFixed(2)} for a ` +
      `picture, ${cpu.megabyteMs.toFixed(1)} for a megabyte. Added to ${file}; the profile before is ${basename(file)}.before.`,
  );
  const factors = Object.entries(service.runFactors).map(([id, factor]) => `${factor.toFixed(2)} for ${id}`);
  if (factors.length > 0) {
    print(`CPU time of runs, in times that of the calibrated engine: ${factors.join(", ")}.`);
  }
  if (!isQuiet) print("The profile is marked: it was not quiet.");
  const fault = fitFault(sampled);
  if (fault !== undefined) print(keepsCpu ? `${fault} These CPU times are those of before.` : fault);
  return 0;
}

/**
 * Sends calls at three quarters of the most that the service can answer, and fits the profile to them. The
 * first ones do not count: an ingress takes less and less CPU time for a call for minutes after its start.
 */
async function fitToSteadyLoad(profile: Profile, load: SteadyLoad): Promise<Profile> {
  const { url, key, lane, sizes, forMs, progress } = load;
  const traffic = (share: number) =>
    drawTraffic({
      shape: "poisson",
      seed: 1,
      perSecond: share * profile.service.perSecond,
      seconds: (steadyRounds * forMs) / 1_000,
      tenants: 1,
      lanes: [lane.lane],
      pictures: 2,
      pictureSize: picture,
      deadlineMs: 30_000,
      factor: 1,
    });
  const trace = traffic(steadyShare);
  const stock = await stockPictures(trace, samplePhotographs(), progress);
  const plan = { url, keys: [key], inFlightMax: 1_000 };
  for (let count = 0; count < uncountedReplays; count++) {
    await replayTrace({ trace, stock, plan, progress });
  }
  const stagesOfLoad: StageTimes[] = [];
  for (let count = 0; count < countedReplays; count++) {
    const replayed = await replayTrace({ trace, stock, plan, progress });
    const { outcomes, calls } = measuredOf(replayed, {});
    if (outcomes.answered < answeredShareMin * calls) {
      throw new Error(
        `Of ${calls} calls at ${steadyShare} of what the service can answer, ${calls - outcomes.answered} ` +
          "were not answered. Give a key whose team has no limits, and calibrate a service that does nothing else.",
      );
    }
    for (const stages of replayed.answeredStages()) stagesOfLoad.push(stages);
  }
  const known = lane.runs.map(({ size }) => size);
  const settings = {
    workers: workersPerMachine(profile),
    batchMax: Math.max(...known.filter((size) => sizes.includes(size)), known[0]!),
    utilisationTarget: 0.85,
  };
  const clientIsHere = isLoopback(url);
  const parts = repeatedTrace(trace, fittedCallsMin);
  const fitted = fitToLoad(profile, stagesOfLoad, (each) => {
    const stages: StageTimes[] = [];
    const callAnswered = (call: StageTimes) => void stages.push(call);
    predict(trace, each, settings, { parts, clientIsHere, callAnswered });
    return stages;
  });
  const full = traffic(fullShare);
  const settingsOfFull = { ...settings, deadlineMs: fullDeadlineMs };
  const fullPlan = { parts: repeatedTrace(full, fittedCallsMin), clientIsHere };
  return withoutSimulatedGap(fitted, (each) => predict(full, each, settingsOfFull, fullPlan));
}

/** Of the calls a second that it answered at most: busy, but with short queues. */
const steadyShare = 0.75;
/** Of the same, for the simulation of full load: more than it can answer, so that calls always wait. */
const fullShare = 1.3;
/** Of those calls: a queue of many batches, and no longer one. */
const fullDeadlineMs = 2_000;
const answeredShareMin = 0.95;
/** Calls of each prediction that is compared with the steady load. */
const fittedCallsMin = 5_000;
const uncountedReplays = 6;
const countedReplays = 2;
/** Of measurements: the tail needs more calls than a mean does. */
const steadyRounds = 4;

/** With the warm-up, as many as it usually needs. */
const measurements = 45;

/** As the sample pictures. */
const picture = { bytes: 41_000, pixels: 327_680 };
const largeBytes = 441_000;
/** Kafka, Redis and the services use some without calls. */
const idleCoresMax = 0.3;

type SteadyLoad = {
  url: string;
  key: string;
  lane: LaneProfile;
  /** Of the batches that the service ran. */
  sizes: readonly number[];
  forMs: number;
  progress(line: string): void;
};

type ServiceOptions = {
  url?: string | undefined;
  "key-file"?: string | undefined;
  operators?: string | undefined;
  "token-file"?: string | undefined;
  out?: string | undefined;
  seconds: string;
  "accept-noise": boolean;
};
