import { availableParallelism, totalmem } from "node:os";

/**
 * How many workers `--workers auto` means. On a CPU: one for each core, with one thread each; on larger
 * machines some cores are left for the other processes. Two workers of one thread verified 62 pairs a second
 * on two cores, and one worker of two threads 34: decoding, scaling and alignment between the network's runs
 * then overlap. On a GPU, and for a modelled engine: one, because it has the whole device.
 */
export function defaultWorkers(
  { onCpu, threads = 1, workersMax, decodingBytes }: WorkerDemand,
  { cores, memoryBytes }: Machine = thisMachine(),
): number {
  if (!onCpu) return 1;
  const free = Math.max(Math.min(cores, smallMachineCores), cores - reservedCores);
  const fittingInMemory = Math.floor(memoryBytes / 2 / (workerBytes + decodingBytes));
  return Math.max(1, Math.min(workersMax, Math.floor(free / threads), fittingInMemory));
}

/** Threads of each worker's engine, so that all workers together use each core once. At least 1. */
export function threadsPerWorker(workers: number, cores = availableParallelism()): number {
  return Math.max(1, Math.floor(cores / workers));
}

/** Up to this many cores, all are used. Otherwise a machine with one core more would have fewer workers. */
const smallMachineCores = 4;
/** Left for the ingress, the batcher and the servers. */
const reservedCores = 2;
/** Resident memory of a worker with all lanes and its pixel buffers, without the decodes in flight. */
const workerBytes = 400 * 2 ** 20;

const thisMachine = (): Machine => ({ cores: availableParallelism(), memoryBytes: totalmem() });

type WorkerDemand = {
  onCpu: boolean;
  /** INTRA_OP_THREADS of each worker, where it is set. */
  threads?: number | undefined;
  workersMax: number;
  /** Memory of the decodes that a worker may have in flight: DECODES_MAX · decodingBytesMax. */
  decodingBytes: number;
};

type Machine = { cores: number; memoryBytes: number };
