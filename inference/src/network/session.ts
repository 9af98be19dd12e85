import { RefusedNetwork } from "@faceline/models/onnx/self-contained";
import * as ort from "@faceline/models/onnxruntime";
import { cudaReason } from "./cuda-libraries.ts";
import { type ExecutionProvider, providerNeeds } from "./execution-provider.ts";

/**
 * Opens an onnxruntime session over the bytes of an .onnx file, with the options that all networks share.
 * Throws one sentence if the file is refused or the execution provider is not available. engine.test.ts
 * covers it.
 */
export async function openSession(
  model: Uint8Array,
  { executionProvider, intraOpThreads, profilePrefix }: SessionSettings,
): Promise<ort.InferenceSession> {
  const options: ort.InferenceSession.SessionOptions = {
    // All that JavaScript can set for CUDA: no limit of memory, no choice of algorithms, no CUDA graphs.
    executionProviders: [executionProvider],
    // Without it, convolutions lose their memory layout and take 1.6 times as long.
    graphOptimizationLevel: "all",
    executionMode: "sequential",
    intraOpNumThreads: intraOpThreads,
    interOpNumThreads: 1,
    // The arena keeps 50 MB for each image of the largest detector run forever, and is no faster.
    enableCpuMemArena: false,
    // A pattern puts the layers of a run into one block, of 38 MB at 512 px in float32. glibc takes such a
    // block from the system each time, and its 9,700 page faults took a quarter of the run.
    enableMemPattern: false,
    // Spinning threads take the cores from decoding. x64quantprecision is left out on purpose: weights of
    // seven bits need no exact sums, and it takes as long as float on CPUs with VNNI.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
    ...(profilePrefix === undefined ? {} : { enableProfiling: true, profileFilePrefix: profilePrefix }),
    logSeverityLevel: 3,
  };
  try {
    return await ort.createSession(model, options);
  } catch (cause) {
    if (cause instanceof RefusedNetwork) throw cause;
    const { message } = cause as Error;
    const reason = executionProvider === "cuda" ? await cudaReason(message) : message.trim().split("\n")[0];
    const needs = providerNeeds[executionProvider];
    const sentence = `the execution provider ${executionProvider} cannot be used here (${needs})`;
    throw new Error(`${sentence}: ${reason}`, { cause });
  }
}

export type SessionSettings = {
  executionProvider: ExecutionProvider;
  /** Threads inside one run. */
  intraOpThreads: number;
  /** Path prefix of a profile that says which node ran where. No profile is written without it. */
  profilePrefix?: string;
};
