import { availableParallelism, cpus } from "node:os";
import type { EngineSettings, Profile } from "@faceline/contracts/stored/profile";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { Log } from "@faceline/runtime/log";
import { type InferenceConfig, runLimits } from "./config.ts";
import type { StartTimes } from "./network/start-times.ts";

/**
 * Returns the run times of PROFILE_FILE, or none if it is not a profile of this worker's machine and
 * settings; then a warning says what differs. `check` says of a loaded lane whether it has them.
 */
export function openProfileTimes(
  profile: Profile | undefined,
  here: WorkerMachine,
  log: Pick<Log, "info" | "warn">,
): ProfileTimes {
  if (profile === undefined) return { times: undefined, check: () => {} };
  const { measuredAt } = profile;
  const fault = profileFault(profile, here);
  if (fault !== undefined) {
    log.warn({ measuredAt, fault }, "the profile is not of this worker: run times are measured instead");
    return { times: undefined, check: () => {} };
  }
  return {
    times: startTimesOf(profile),
    check: (loaded) => {
      const { lane } = loaded;
      const fault = laneFault(profile, loaded);
      if (fault === undefined) log.info({ lane, measuredAt }, "starts with the run times of the profile");
      else
        log.warn({ lane, measuredAt, fault }, "the profile has no run times for this lane as it is loaded");
    },
  };
}

/** The machine of this process. */
export const machineOf = (config: InferenceConfig): WorkerMachine => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  executionProvider: config.EXECUTION_PROVIDER,
  intraOpThreads: config.INTRA_OP_THREADS,
  ...runLimits(config),
});

/**
 * Returns the run times of a profile, for a worker that starts from them. They cover only runs, and the
 * batcher learns the real ones from the first batches, as it does without a profile.
 */
function startTimesOf({ networks, lanes }: Profile): StartTimes {
  return {
    networks: new Map(networks.map(({ sha256, sizes }) => [sha256, sizes])),
    lanes: new Map(
      lanes.map(({ digest, runs }) => [
        digest,
        runs.map(({ size, ms }) => ({ size, runMs: ms[ms.length >> 1]! })),
      ]),
    ),
  };
}

/**
 * Says, as a clause, why a profile is not one of this worker's machine and settings; undefined if it is. Run
 * times of another machine are worse than measured ones: they may keep batches at a wrong size.
 */
function profileFault({ machine, engine, lanes }: Profile, here: WorkerMachine): string | undefined {
  const differences = [
    ["the CPU", here.cpu, machine.cpu],
    ["the number of cores", here.cores, machine.cores],
    ["EXECUTION_PROVIDER", here.executionProvider, lanes[0]!.executionProvider],
    ["INTRA_OP_THREADS", here.intraOpThreads, engine.intraOpThreads],
    ["the largest run of a detector", here.detectorChunkMax, engine.detectorChunkMax],
    ["the largest run of faces", here.faceChunkMax, engine.faceChunkMax],
  ].filter(([, own, measured]) => own !== measured);
  if (differences.length === 0) return undefined;
  return differences.map(([what, own, measured]) => `${what} is ${own}, and ${measured} in it`).join("; ");
}

/** Says, as a clause, why a loaded lane does not have the run times of a profile; undefined if it has. */
function laneFault({ lanes }: Profile, { lane, build, sizes }: LoadedLane): string | undefined {
  const profile = lanes.find((each) => each.lane === lane);
  if (profile === undefined) return `it has ${lanes.map((each) => each.lane).join(", ")} alone`;
  if (profile.digest !== build.digest) {
    return `the build is ${build.digest}, and ${profile.digest} in it: other models, precisions, engine or alignment`;
  }
  const known = profile.runs.map(({ size }) => size);
  const absent = sizes.filter(({ size }) => !known.includes(size)).map(({ size }) => size);
  return absent.length === 0 ? undefined : `it lacks batches of ${absent.join(", ")}`;
}

type ProfileTimes = { times: StartTimes | undefined; check(loaded: LoadedLane): void };

/** Everything but the models that run times depend on. */
export type WorkerMachine = EngineSettings & {
  /** Its model, as Node.js names it. */
  cpu: string;
  cores: number;
  executionProvider: string;
};
