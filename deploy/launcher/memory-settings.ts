/**
 * Settings of glibc's allocator with which a service starts, unless the operator sets them. By default each
 * thread keeps an arena as large as its peak: in a worker the largest image, elsewhere the memory of V8's
 * compiler. The arenas were measured to save no time.
 */
export const mallocSettings = { MALLOC_ARENA_MAX: "1" };

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
