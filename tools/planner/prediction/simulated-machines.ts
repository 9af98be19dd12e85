import type { Profile } from "../profile/profile.ts";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import { requestIdOf } from "@faceline/contracts/wire/ids";
import type { EventQueue } from "@faceline/simulation/event-queue";
import type { Random } from "@faceline/simulation/random";
import type { CallPath, Hops } from "@faceline/simulation/scenario";
import { SharedCores } from "@faceline/simulation/shared-cores";
import type { WorkerWork } from "@faceline/simulation/worker-model";
import { decodeMsAt, runMsAt, slowdownOf } from "../profile/lane-times.ts";
import { valueAt } from "../profile/quantiles.ts";
import type { ImageSize } from "../trace/trace.ts";

/**
 * The machines of a pool in simulated time. On each of them the runs and decodes of its workers, and an equal
 * part of what ingress, batcher, Kafka and Redis compute for calls, share the cores.
 *
 *     call ──intake──► scheduler ──to worker──► fetch ──► decodes ──► run ──reply──► client
 *              CPU beside it         CPU beside it           CPU       CPU
 *
 * A hop takes what the service measured, whatever the load. Its CPU time is spent beside it, so that it slows
 * runs and decodes down.
 */
export class SimulatedMachines {
  readonly #parts: MachineParts;
  readonly #cores: SharedCores[];

  constructor(parts: MachineParts) {
    const { profile, events, machines } = parts;
    this.#parts = parts;
    const machine = { cores: profile.machine.cores, slowdown: slowdownOf(profile) };
    this.#cores = Array.from({ length: machines }, () => new SharedCores(events, machine));
  }

  /** The path of messages. Each call is the work of one machine, in turn. */
  path(): CallPath {
    const { events, serviceMs, imageOf } = this.#parts;
    let calls = 0;
    const spend = (cpuMs: number) => this.#coresOf(calls).run(cpuMs, () => {}, { isBrief: true });
    /** All hops of a call are as long in proportion. */
    const hop = (share: number, task: BatchTask["id"], done: () => void) =>
      events.after(share * valueAt(serviceMs, placeOf(Number(requestIdOf(task)))), done);
    return {
      intake: ({ tasks }, done) => {
        calls++;
        spend(serviceCpu.callMs);
        hop(hopShares.intake, tasks[0]!, done);
      },
      toWorker: ({ tasks }, done) => {
        // A call that is refused costs none of its images' time.
        for (const { id } of tasks) {
          spend(serviceCpu.imageMs + (serviceCpu.megabyteMs * imageOf(id).bytes) / 1_000_000);
        }
        hop(hopShares.toWorker, tasks[0]!.id, done);
      },
      report: (done) => events.after(hopsOf(serviceMs).reportMs, done),
      reply: ({ tasks }, done) => hop(hopShares.reply, tasks[0]!.id, done),
    };
  }

  /** The work of a worker on its machine. */
  work(index: number): WorkerWork {
    const { profile, random, events, imageOf } = this.#parts;
    const cores = this.#coresOf(index);
    const decodes: Decode[] = [];
    let decoding = 0;
    const decodeNext = () => {
      while (decoding < decodesMax && decodes.length > 0) {
        const { ms, done } = decodes.shift()!;
        decoding++;
        const end = () => {
          decoding--;
          decodeNext();
          done();
        };
        cores.run(ms, end, { isBrief: ms <= briefMsMax });
      }
    };
    return {
      prepare: (tasks, done) => {
        let left = tasks.length;
        if (left === 0) return events.after(fetchMs, done);
        const each = () => {
          left--;
          if (left === 0) done();
        };
        events.after(fetchMs, () => {
          for (const { id } of tasks) {
            decodes.push({ ms: decodeMsAt(profile, imageOf(id), random.next()), done: each });
          }
          decodeNext();
        });
      },
      run: (lane, size, done) => {
        const measured = profile.lanes.find((each) => each.lane === lane)!;
        const ms = runMsAt(measured, size, random.next());
        const cpuMs = measured.cpuShare * ms;
        cores.run(cpuMs, () => events.after(ms - cpuMs, done));
      },
      turnAround: (done) => events.after(turnAroundMs, done),
    };
  }

  #coresOf(index: number): SharedCores {
    return this.#cores[index % this.#cores.length]!;
  }
}

/** Returns the hops of a usual call: the scheduler's first guesses, and the time of every report. */
export function hopsOf(serviceMs: readonly number[]): Hops {
  const ms = valueAt(serviceMs, 0.5);
  const { intake, toWorker, reply, report } = hopShares;
  return { intakeMs: intake * ms, toWorkerMs: toWorker * ms, replyMs: reply * ms, reportMs: report * ms };
}

/** Returns the place of a call in the distribution: multiples of the golden ratio fill it evenly. */
const placeOf = (call: number): number => (call * 0.618_033_988_749_895) % 1;

/** Quantiles of what a call took in ingress and hops on two cores with a light load. */
export const assumedServiceMs: readonly number[] = [8, 12.5, 14, 17, 35];

/** Parts of the time that a call spends in ingress and hops. A report passes while others wait for it. */
const hopShares = { intake: 0.4, toWorker: 0.35, reply: 0.25, report: 0.15 };

/** CPU time of ingress, batcher, Kafka and Redis in ms: of a call, an image, a megabyte of images. */
const serviceCpu = { callMs: 2, imageMs: 1, megabyteMs: 8 };

/** Time until the images of a batch are in the worker. */
const fetchMs = 2;
/** Time between two runs, although the next batch is ready. */
const turnAroundMs = 1;
/** Default of DECODES_MAX. */
const decodesMax = 2;
/** A thread that computes for longer is interrupted by others: the time slice of Linux. */
const briefMsMax = 3;

type Decode = { ms: number; done: () => void };

type MachineParts = {
  profile: Profile;
  events: EventQueue;
  random: Random;
  machines: number;
  /** Quantiles of the time that a call spends in ingress and hops. */
  serviceMs: readonly number[];
  /** The size of the image of a task. */
  imageOf(task: BatchTask["id"]): ImageSize;
};
