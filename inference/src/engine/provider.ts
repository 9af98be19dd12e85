import * as ort from "@faceline/models/onnxruntime";

/** Where networks run. One that was asked for and cannot be had is an error: never silently another. */
export const executionProviders = ["cpu", "cuda", "webgpu"] as const;
export type ExecutionProvider = (typeof executionProviders)[number];

export async function openSession(
  model: Uint8Array,
  { executionProvider, intraOpThreads, profileTo }: SessionSettings,
): Promise<ort.InferenceSession> {
  const options: ort.InferenceSession.SessionOptions = {
    executionProviders: [executionProvider],
    // Without it the convolutions lose their memory layout, and take 1.6 times as long.
    graphOptimizationLevel: "all",
    executionMode: "sequential",
    intraOpNumThreads: intraOpThreads,
    interOpNumThreads: 1,
    // The arena keeps 50 MB for each picture of the largest detector run for ever, and is no faster.
    enableCpuMemArena: false,
    // Threads that spin while they wait take the cores from decoding. Left out is x64quantprecision, which makes sums in
    // eight bits right on every x64 CPU: it takes as long as float does, on those with VNNI too.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
    ...(profileTo === undefined ? {} : { enableProfiling: true, profileFilePrefix: profileTo }),
    logSeverityLevel: 3,
  };
  try {
    return await ort.InferenceSession.create(model, options);
  } catch (cause) {
    const [reason] = (cause as Error).message.trim().split("\n");
    const sentence = `the execution provider ${executionProvider} cannot be used here (${NEEDS[executionProvider]})`;
    throw new Error(`${sentence}: ${reason}`, { cause });
  }
}

const NEEDS: Record<ExecutionProvider, string> = {
  cpu: "it needs nothing but the model",
  cuda: "it needs an NVIDIA driver, and onnxruntime's CUDA libraries beside its own",
  webgpu: "it needs a GPU, and its Vulkan driver",
};

export type SessionSettings = {
  executionProvider: ExecutionProvider;
  /** Threads inside one run. */
  intraOpThreads: number;
  /** Where to write what ran where, for a check of the placement. */
  profileTo?: string;
};
