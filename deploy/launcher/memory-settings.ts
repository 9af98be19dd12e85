/**
 * Settings of glibc's allocator with which a service starts, unless the operator sets them.
 *
 * By default each thread keeps an arena as large as its peak: in a worker the largest picture, elsewhere the
 * memory of V8's compiler. The arenas were measured to save no time.
 *
 * By default, too, glibc raises the size from which freed blocks go back to the system as soon as such a
 * block is freed. A fixed size makes the memory of models that leave available to others, and takes time in
 * each run. So workers have it only where `MODELS_MEMORY_MIB` asks them to unload models.
 */
export function mallocSettings(service: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const unloads = service === "inference" && Boolean(environment["MODELS_MEMORY_MIB"]);
  return { MALLOC_ARENA_MAX: "1", ...(unloads ? { MALLOC_MMAP_THRESHOLD_: `${2 ** 20}` } : {}) };
}

/**
 * Flags of V8 for each service, as in the images. A small young generation stays in a core's caches, and what
 * lives in a batcher or a worker is small. Pieces of bodies pass through that of an ingress: with less than
 * 8 MiB it takes more time, and with V8's own size 60 to 130 MiB more.
 */
export const v8Flags = {
  ingress: ["--max-semi-space-size=8"],
  batcher: ["--max-semi-space-size=2"],
  inference: ["--max-semi-space-size=2"],
} as const;
