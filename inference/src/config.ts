import { KafkaConfig } from "@faceline/contracts/runtime/kafka";
import { VolatileRedisConfig } from "@faceline/contracts/runtime/redis";
import { PoolName } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import { EngineChoice } from "./engine/modelled.ts";
import { PrecisionWishes } from "./engine/precision.ts";

export const InferenceConfig = z.object({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
  POOL: PoolName.default("default"),
  /** The folder with the built models. */
  MODELS_DIR: z.string().min(1),
  /** Lanes to load, with commas: model/detector. */
  LANES: z.string().default("Dlib/ssd,Dlib/tiny"),
  /** `onnx`, or `model:40+2b`, whose run of b pictures, padded, is a wait of 40 + 2b ms: for measuring everything around it. */
  ENGINE: EngineChoice.prefault("onnx"),
  EXECUTION_PROVIDER: z.enum(["cpu", "cuda", "webgpu"]).default("cpu"),
  /** In which precision models run: see PrecisionWishes. */
  PRECISION: PrecisionWishes.prefault("auto"),
  /** Threads of one run. Workers times threads should not exceed the free cores. */
  INTRA_OP_THREADS: z.coerce.number().int().min(1).max(64).default(1),
  /** Pictures of a batch. The memory of two batches of pixels grows with it. */
  BATCH_MAX: z.coerce.number().int().min(1).max(64).default(4),
  /** Pictures of one run of a detector, whose memory is some 50 MB a picture. */
  DETECTOR_CHUNK_MAX: z.coerce.number().int().min(1).max(64).default(4),
  /** Faces of one run of the landmark or the embedding network. */
  FACE_CHUNK_MAX: z.coerce.number().int().min(1).max(256).default(16),
  /** Landmarks further from the mean face, in pixels of the 150 px chip, are no face: those of good ones reach 4.6. */
  FACE_RESIDUAL_MAX_PX: z.coerce.number().min(1).max(100).default(6),
  /** Pictures that are decoded at the same time. */
  DECODES_MAX: z.coerce.number().int().min(1).max(64).default(2),
  /** Larger pictures are refused. */
  IMAGE_PIXELS_MAX: z.coerce.number().int().min(1).default(40_000_000),
  /** Larger pictures are shrunk before faces are looked for. The memory of two batches of pixels grows with its square. */
  PICTURE_SIDE_MAX_PX: z.coerce.number().int().min(512).max(8_192).default(2_560),
  /** The long side of what is shrunk. */
  PICTURE_SHRUNK_SIDE_PX: z.coerce.number().int().min(512).max(8_192).default(1_600),
  REPORT_EVERY_MS: z.coerce.number().int().min(10).max(1_000).default(250),
  /** A run that takes longer will not end: the process leaves, and a new one starts. */
  RUN_MAX_MS: z.coerce.number().int().min(1_000).max(600_000).default(60_000),
  /** Batches that a worker holds, where partitions have just moved to it. A further one is left to the batcher. */
  HELD_BATCHES_MAX: z.coerce.number().int().min(2).max(64).default(16),
});
export type InferenceConfig = z.infer<typeof InferenceConfig>;
