import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { noiseSentence, watchOtherWork } from "../calibration/machine-noise.ts";
import { fitFault, runsFault, serviceProfile } from "../calibration/service-profile.ts";
import { idleCores, sampleService } from "../calibration/service-samples.ts";
import { fitToSteadyLoad, steadyTraffic } from "../calibration/steady-fit.ts";
import { measureSteadyLoad, steadyReplays } from "../calibration/steady-load.ts";
import { readProfile } from "../profile/profile.ts";
import { stockPictures } from "../replay/picture-stock.ts";
import { recentRuns } from "../replay/recent-runs.ts";
import { watchService } from "../replay/service-counters.ts";
import { readServiceSettings } from "../replay/service-settings.ts";
import { sizedJpeg } from "../replay/sized-jpeg.ts";
import { serviceText } from "../report/service-text.ts";
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
  const ports = operators.split(",");
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
  const watch = () => watchService(ports, token);
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
    watch,
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
  const traffic = { lane: lane.lane, picture, seconds: (steadyRounds * forMs) / 1_000 };
  const trace = steadyTraffic(measured, traffic);
  const stock = await stockPictures(trace, samplePhotographs(), progress);
  const plan = { url, keys: [key], inFlightMax: 1_000 };
  const readRuns = recentRuns(ports, { lane: lane.lane, token });
  const replays = await measureSteadyLoad({ trace, stock, plan, watch, readRuns, progress });
  const inForce = await readServiceSettings(ports, token);
  const largest =
    inForce?.batchMax ?? Math.max(...replays.flatMap(({ runs }) => runs.map(({ size }) => size)));
  const sizes = lane.runs.map(({ size }) => size);
  const settings = {
    workers: inForce?.workers ?? workersPerMachine(profile),
    batchMax: sizes.findLast((size) => size <= largest) ?? sizes[0]!,
    utilisationTarget: inForce?.utilisationTarget ?? 0.85,
  };
  const clientIsHere = isLoopback(url);
  const { service } = fitToSteadyLoad(measured, replays, { traffic, settings, clientIsHere });
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
  for (const line of serviceText({ ...profile, service }, measured.service.fetchMs)) print(line);
  print(`Added to ${file}; the profile before is ${basename(file)}.before.`);
  if (!isQuiet) print("The profile is marked: it was not quiet.");
  const fault = fitFault(sampled);
  if (fault !== undefined) print(keepsCpu ? `${fault} These CPU times are those of before.` : fault);
  return 0;
}

/** How many times as long as a measurement each replay takes: the tail needs more calls than a mean does. */
const steadyRounds = 4;

/** With the warm-up, as many as it usually needs. */
const measurements = 13 + steadyReplays * steadyRounds;

/** As the sample pictures. */
const picture = { bytes: 41_000, pixels: 327_680 };
const largeBytes = 441_000;
/** Kafka, Redis and the services use some without calls. */
const idleCoresMax = 0.3;

type ServiceOptions = {
  url?: string | undefined;
  "key-file"?: string | undefined;
  operators?: string | undefined;
  "token-file"?: string | undefined;
  out?: string | undefined;
  seconds: string;
  "accept-noise": boolean;
};
