/**
 * Whether a run failed because memory could not be allocated. onnxruntime gives errors no code, so they are
 * recognised by their texts: those of its CPU allocator (the only one that a test can provoke without a
 * GPU), its arena, CUDA, cuBLAS, cuDNN and WebGPU, and that of V8 for a buffer.
 */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && texts.some((text) => text.test(error.message));

const texts = [
  /std::bad_alloc/,
  // core/framework/bfc_arena.cc
  /Failed to allocate memory for requested buffer of size/,
  /Available memory of \d+ is smaller than requested bytes/,
  // "CUDA failure 2: out of memory", "BFC Arena ran out of memory", "Out of memory" of WebGPU
  /\bout of memory\b/i,
  /CUBLAS_STATUS_ALLOC_FAILED/,
  /CUDNN_STATUS_(ALLOC_FAILED|INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)/,
  /Array buffer allocation failed/,
];
