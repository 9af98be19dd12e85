import { resolve } from "node:path";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { ModelsConfig } from "@faceline/runtime/models-config";
import { OperatorsConfig } from "@faceline/runtime/operators/config";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { ServiceConfig } from "@faceline/runtime/service";
import { batchTasksMax } from "@faceline/contracts/wire/batch";
import { PoolName } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import { defaultImageLimits, type ImageLimits } from "./decode/image.ts";
import { EngineChoice } from "./engine/modelled.ts";
import { executionProviders } from "./network/execution-provider.ts";
import { PrecisionSetting } from "./network/precision.ts";

/** The settings of a worker, from its environment. */
export const InferenceConfig = z.object({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  ...OperatorsConfig.shape,
  ...ModelsConfig.shape,
  ...ServiceConfig.shape,
  POOL: PoolName.default("default"),
  /** The folder with the built models. Resolved here: a worker leaves the folder in which it was started. */
  MODELS_DIR: z
    .string()
    .min(1)
    .transform((path) => resolve(path)),
  /**
   * `onnx`, or `model:40+2b`, with which a run of b images, padded, is a wait of 40 + 2b ms: to measure
   * everything around it.
   */
  ENGINE: EngineChoice.prefault("onnx"),
  EXECUTION_PROVIDER: z.enum(executionProviders).default("cpu"),
  /** The precision of models: see PrecisionSetting. */
  PRECISION: PrecisionSetting.prefault("auto"),
  /** Threads of one run. Workers times threads should not exceed the free cores. */
  INTRA_OP_THREADS: z.coerce.number().int().min(1).max(64).default(1),
  /** Images that are decoded at the same time. */
  DECODES_MAX: z.coerce.number().int().min(1).max(64).default(2),
  /** Images of a batch. The memory of three batches of pixels grows with it. */
  BATCH_MAX: z.coerce.number().int().min(1).max(batchTasksMax).default(4),
  /** Images with more pixels are rejected. */
  IMAGE_PIXELS_MAX: z.coerce.number().int().min(1).default(defaultImageLimits.pixelsMax),
  /** How long a worker that stops may take. Then it leaves what it holds to other workers, and exits. */
  WORKER_DRAIN_WITHIN_MS: z.coerce.number().int().min(100).max(600_000).default(9_000),
});
export type InferenceConfig = z.infer<typeof InferenceConfig>;

/**
 * Throws if batches may need more memory for pixels than there is: a running worker must not die from a batch
 * that its settings allow. `availableBytes` counts a container's limit.
 */
export function requirePixelMemory(
  { BATCH_MAX }: InferenceConfig,
  pixelBytesMax: number,
  availableBytes: number,
): void {
  if (pixelBytesMax <= availableBytes) return;
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  throw new Error(
    `BATCH_MAX=${BATCH_MAX} allows ${mib(pixelBytesMax)} of pixels, but ${mib(availableBytes)} of memory ` +
      `are available; lower it`,
  );
}

/**
 * The most images of one run of a detector, whose memory is about 50 MB an image, and the most faces of
 * one run of a landmark or embedding network. A GPU gains from runs of whole batches, a CPU does not.
 */
export function runLimits({ EXECUTION_PROVIDER, BATCH_MAX }: InferenceConfig) {
  const wholeBatch = EXECUTION_PROVIDER === "cpu" ? 0 : BATCH_MAX;
  return { detectorChunkMax: Math.max(4, wholeBatch), faceChunkMax: Math.max(16, wholeBatch) };
}

/** The limits that the settings give to the decoder. */
export const imageLimits = (config: InferenceConfig): ImageLimits => ({
  ...defaultImageLimits,
  pixelsMax: config.IMAGE_PIXELS_MAX,
});
