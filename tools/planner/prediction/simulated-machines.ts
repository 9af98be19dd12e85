import type { EventQueue } from "@faceline/simulation/event-queue";
import type { Random } from "@faceline/simulation/random";
import type { CallPath } from "@faceline/simulation/scenario";
import { SharedCores } from "@faceline/simulation/shared-cores";
import type { WorkerWork } from "@faceline/simulation/worker-model";
import type { CallCpu, MachinePace, Profile } from "@faceline/contracts/stored/profile";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { decodeMsAt, runMsAt, runsOnCores, slowdownOf } from "../profile/lane-times.ts";
import { valueAt } from "../profile/quantiles.ts";
import type { PictureSize } from "../trace/trace.ts";
import { MachineMoments } from "./machine-moments.ts";

/**
 * The machines of a pool in simulated time. On each of them the runs and decodes of its workers, and an equal
 * part of what ingress, batcher, Kafka and Redis do for calls, share the cores. What the latter do is brief,
 * so that it hardly waits for runs.
 *
 *     call ──intake──► scheduler ──to worker──► fetch ──► decodes ──► run ──reply──► client
 *              CPU                     CPU                  CPU       CPU     CPU
 *
 * What a hop takes on an idle service beyond its CPU time is a wait. Hops, fetching and runs that begin while
 * something else is on the cores take longer, as they did under the load of the calibration; those that begin
 * at the same moment take longer together. Beside an engine that leaves the cores to the others, they take so
 * long always. The pictures of a call take CPU time once it goes to a worker, and none if it is refused. That
 * is less than a service takes for reading its body.
 */
export class SimulatedMachines {
  readonly #parts: MachineParts;
  readonly #machines: Machine[];
  readonly #isOnCores: boolean;

  constructor(parts: MachineParts) {
    const { profile, events, random, machines } = parts;
    this.#parts = parts;
    const machine = { cores: profile.machine.cores, slowdown: slowdownOf(profile) };
    this.#machines = Array.from({ length: machines }, () => ({
      cores: new SharedCores(events, machine),
      moments: new MachineMoments(events, random),
    }));
    this.#isOnCores = runsOnCores(profile);
    const { pace } = profile.machine;
    for (const { cores } of this.#machines) {
      if (pace === undefined) cores.setPace(parts.pace);
      else this.#followPace(cores, pace);
    }
  }

  /** The pace of a machine goes round as it was measured, from an instant that is drawn. */
  #followPace(cores: SharedCores, { everyMs, factors }: MachinePace): void {
    const { events, random, pace } = this.#parts;
    let index = random.below(factors.length);
    const step = () => {
      cores.setPace(pace * factors[index]!);
      index = (index + 1) % factors.length;
      events.after(everyMs, step);
    };
    step();
  }

  /** The path of messages. Each call is the work of one machine, in turn. */
  path(): CallPath {
    const { profile, events, clientIsHere } = this.#parts;
    const { service } = profile;
    let calls = 0;
    const factorOn = ({ cores, moments }: Machine) =>
      valueAt(this.#isBusy(cores) ? service.factors : service.idleFactors, moments.share());
    const step = (idleMs: number, cpuMs: number, machine: Machine, done: () => void) => {
      const { cores } = machine;
      // What a hop takes of the cores beyond its own time, others do beside it: collectors, reports, Kafka.
      const ownMs = Math.min(cpuMs, idleMs);
      const waitMs = factorOn(machine) * idleMs - ownMs;
      if (cpuMs > ownMs) cores.run(cpuMs - ownMs, () => {}, { isBrief: true });
      cores.run(ownMs, () => events.after(Math.max(0, waitMs), done), { isBrief: true });
    };
    const { cpu, clientCpu } = service;
    return {
      intake: ({ tasks }, done) => {
        const pictures = tasks.map((task) => this.#parts.pictureOf(task));
        const clientMs = clientIsHere ? clientCpu.callMs + picturesCpuMs(clientCpu, pictures) : 0;
        step(service.intakeMs, cpu.callMs + clientMs, this.#machineOf(calls++), done);
      },
      toWorker: ({ tasks }, done) => {
        const pictures = tasks.map(({ id }) => this.#parts.pictureOf(id));
        const ms = picturesCpuMs(cpu, pictures) - replyShare * cpu.pictureMs * tasks.length;
        step(service.toWorkerMs, ms, this.#machineOf(calls), done);
      },
      report: (done) => events.after(factorOn(this.#machineOf(calls)) * service.reportMs, done),
      reply: ({ tasks }, done) => {
        const ms = replyShare * cpu.pictureMs * tasks.length;
        step(service.replyMs, ms, this.#machineOf(calls), done);
      },
    };
  }

  /** What a worker does on its machine. */
  work(index: number): WorkerWork {
    const { profile, random, events } = this.#parts;
    const machine = this.#machineOf(index);
    const { cores, moments } = machine;
    const { fetchMs, fetchMoreMs, decodesMax, runFactors, handoverMs, handoverMoreMs } = profile.service;
    // Threads wait for each other only where there are others.
    const moreMs = (quantiles: readonly number[]) =>
      this.#isBusy(cores) ? valueAt(quantiles, moments.share()) : 0;
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
        const fetchedMs = fetchMs + moreMs(fetchMoreMs);
        if (left === 0) return events.after(fetchedMs, done);
        const each = () => {
          left--;
          if (left === 0) done();
        };
        events.after(fetchedMs, () => {
          for (const { id } of tasks) {
            decodes.push({ ms: decodeMsAt(profile, this.#parts.pictureOf(id), random.next()), done: each });
          }
          decodeNext();
        });
      },
      run: (lane, size, done) => {
        const measured = profile.lanes.find((each) => each.lane === lane)!;
        const ms = (runFactors[lane] ?? 1) * runMsAt(measured, size, random.next());
        // Where a run computes, its handover does: threads wake up.
        const aloneMs = ms + handoverMs;
        const cpu = measured.cpuShare * aloneMs;
        const waitMs = aloneMs - cpu + moreMs(handoverMoreMs) + cpu * this.#waitShareOn(machine);
        cores.run(cpu, (usedMs) => {
          this.#parts.runComputed(lane, size, (usedMs * ms) / aloneMs);
          events.after(waitMs, done);
        });
      },
      turnAround: (done) => events.after(profile.service.turnAroundMs, done),
    };
  }

  /**
   * Returns what a run that begins now waits beyond its share of the cores, as a share of its CPU time. Where
   * a core is free for it, threads that wake up may take its own all the same. Where none is, these waits are
   * its share of the cores, but for pauses.
   */
  #waitShareOn({ cores, moments }: Machine): number {
    if (!this.#isBusy(cores)) return 0;
    const { profile } = this.#parts;
    const { runWaitShares } = profile.service;
    const wait = valueAt(runWaitShares, moments.share());
    return cores.active < profile.machine.cores
      ? wait
      : Math.max(0, wait - valueAt(runWaitShares, pausesFrom));
  }

  #isBusy({ active }: SharedCores): boolean {
    return active > 0 || !this.#isOnCores;
  }

  #machineOf(index: number): Machine {
    return this.#machines[index % this.#machines.length]!;
  }
}

const picturesCpuMs = ({ pictureMs, megabyteMs }: CallCpu, pictures: readonly PictureSize[]): number =>
  pictures.reduce((sum, { bytes }) => sum + pictureMs + (megabyteMs * bytes) / 1_000_000, 0);

/** Of the CPU time that a picture takes around the engine: what comes after its run. */
const replyShare = 0.25;

/** The share of the waits of runs above which they are pauses, which come whether or not a core is free. */
const pausesFrom = 0.9;

/** A thread that computes for longer is interrupted by others: the time slice of Linux. */
const briefMsMax = 3;

type Machine = { cores: SharedCores; moments: MachineMoments };

type Decode = { ms: number; done: () => void };

type MachineParts = {
  profile: Profile;
  events: EventQueue;
  random: Random;
  machines: number;
  /** How many times as long all CPU time takes as by the profile. */
  pace: number;
  /** Whether the client runs on the machines too. */
  clientIsHere: boolean;
  /** The size of the picture of a task. */
  pictureOf(task: BatchTask["id"]): PictureSize;
  /** Called with the CPU time that the engine took for a run of a batch that was padded to `size`, in ms. */
  runComputed(lane: LaneId, size: number, cpuMs: number): void;
};
