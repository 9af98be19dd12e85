/**
 * Providers that networks run on. Kept apart from session.ts, because the settings need this list on a thread
 * that must not load onnxruntime. A requested provider that is not available is an error: never silently
 * another one.
 */
export const executionProviders = ["cpu", "cuda", "webgpu"] as const;
export type ExecutionProvider = (typeof executionProviders)[number];

/** Requirements of each provider, for the error message. */
export const providerNeeds: Record<ExecutionProvider, string> = {
  cpu: "it needs nothing but the model",
  cuda: 'it needs an NVIDIA GPU, its driver and the libraries of "npm run models -- gpu"; EXECUTION_PROVIDER=cpu needs none of them',
  webgpu:
    "it needs a GPU, its Vulkan driver and the loader libvulkan.so.1; EXECUTION_PROVIDER=cpu needs none of them",
};
