import { availableParallelism, totalmem } from "node:os";

/**
 * How many workers a machine is given where nobody says: on a CPU one for each core, of one thread each. In a trial on
 * two cores two workers of one thread verified 62 pairs a second and one of two threads 34: what lies between the runs is
 * done twice at a time then. On a GPU, and for a modelled engine, one: it has the whole device.
 */
export function workersFor(
  { onCpu, threads = 1, workersMax }: Wanted,
  { cores, memoryBytes }: Machine = thisMachine(),
): number {
  if (!onCpu) return 1;
  // On a machine of some size the ingress, the batcher and the servers have cores of their own.
  const free = Math.max(Math.min(cores, SHARED), cores - OTHERS);
  const fitting = Math.floor(memoryBytes / 2 / WORKER_BYTES);
  return Math.max(1, Math.min(workersMax, Math.floor(free / threads), fitting));
}

/** The threads of each worker's engine, so that all of them together use the machine once. */
export function threadsEach(workers: number, cores = availableParallelism()): number {
  return Math.max(1, Math.floor(cores / workers));
}

/** So many cores everybody shares, lest a machine with one more had fewer workers. */
const SHARED = 4;
const OTHERS = 2;
/** A worker with all lanes, and its pixels. */
const WORKER_BYTES = 700 * 2 ** 20;

const thisMachine = (): Machine => ({ cores: availableParallelism(), memoryBytes: totalmem() });

/** `threads` is what each worker will use, where an operator has said so. */
type Wanted = { onCpu: boolean; threads?: number | undefined; workersMax: number };

type Machine = { cores: number; memoryBytes: number };
