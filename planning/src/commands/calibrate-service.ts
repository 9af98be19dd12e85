import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noiseSentence, watchOtherWork } from "../calibration/machine-noise.ts";
import { serviceProfile } from "../calibration/service-profile.ts";
import { idleCores, sampleService } from "../calibration/service-samples.ts";
import { readProfile } from "../profile/profile.ts";
import { watchService } from "../replay/service-counters.ts";
import { sizedJpeg } from "../replay/sized-jpeg.ts";
import { positive } from "../trace/traffic-options.ts";
import type { CommandContext } from "./context.ts";
import { readLines, samplePhotographs } from "./inputs.ts";

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
  const tokenFile = values["token-file"];
  const token = tokenFile === undefined ? undefined : readLines(tokenFile)[0];
  const jpeg = await sizedJpeg(samplePhotographs()[0]!, picture);
  const large = await sizedJpeg(samplePhotographs()[0]!, { ...picture, bytes: largeBytes });
  const base64 = (bytes: Buffer) => Buffer.from(bytes.toString("base64"), "latin1");
  const forMs = 1_000 * positive(values.seconds, "--seconds");
  const isAccepted = values["accept-noise"];
  const noisy = (sentence: string) =>
    print(
      `THIS MACHINE IS NOT QUIET: ${sentence}. ` +
        (isAccepted ? "The profile is marked." : "Stop what runs beside this, or go on with --accept-noise."),
    );
  const idle = await idleCores(forMs / 2);
  const isIdle = idle <= idleCoresMax;
  if (!isIdle) {
    noisy(`without calls it uses ${idle.toFixed(2)} cores, more than ${idleCoresMax}`);
    if (!isAccepted) return 3;
  }
  const beside = watchOtherWork();
  const samples = await sampleService({
    url,
    idleCores: idle,
    key: readLines(keyFile)[0]!,
    lane: lane.lane,
    picture: base64(jpeg),
    largePicture: base64(large),
    pixels: picture.pixels,
    inFlight: Math.max(8, 4 * lane.runs.at(-1)!.size),
    forMs,
    watch: () => watchService(operators.split(","), token),
    progress,
  });
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
  const service = serviceProfile(samples, profile, { lane, picture });
  writeFileSync(`${file}.part`, JSON.stringify({ ...profile, ...(!isQuiet && noise), service }, null, 1));
  renameSync(`${file}.part`, file);
  const { intakeMs, toWorkerMs, replyMs, fetchMs, cpu } = service;
  const hops = [intakeMs, toWorkerMs, replyMs, fetchMs].map((ms) => ms.toFixed(1));
  print(
    `On an idle service: intake ${hops[0]} ms, to the worker ${hops[1]}, reply ${hops[2]}, fetching ${hops[3]}.`,
  );
  print(
    `CPU time around the engine: ${cpu.callMs.toFixed(2)} ms for a call, ${cpu.pictureMs.toFixed(2)} for a ` +
      `picture, ${cpu.megabyteMs.toFixed(1)} for a megabyte. Added to ${file}.`,
  );
  return 0;
}

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
