import { vectorLengthMax } from "@faceline/contracts/http/vector";
import { Tenant } from "@faceline/contracts/wire/ids";
import { callTasksMax } from "@faceline/contracts/wire/task";
import * as z from "zod";

const MiB = 1024 * 1024;

const count = (max: number, standard: number) => z.coerce.number().int().min(1).max(max).default(standard);

const limit = (standard: number) => z.coerce.number().int().min(0).max(1_000_000).default(standard);

/** `a,b` → ["a", "b"]. */
const names = (standard: string) =>
  z
    .string()
    .default(standard)
    .transform((list) => list.split(",").map((name) => name.trim()))
    .refine((list) => list.every((name) => name !== ""), "must be names, separated by commas");

/** The settings of the HTTP side. The ingress' own config extends it (`safeExtend` keeps the relations below). */
export const HttpSettings = z
  .object({
    /** `off`: no keys; a drop-in for DeepFace's own server on a private network. */
    AUTH: z.enum(["on", "off"]).default("on"),
    /** The tenant of every call when AUTH is off. */
    TENANT_WITHOUT_AUTH: Tenant.default("anonymous"),
    /** How long a key that was found is believed. */
    KEY_CACHE_MS: count(600_000, 30_000),
    /** How long it is believed while the durable Redis is away. */
    KEY_CACHE_WITHOUT_REDIS_MS: count(86_400_000, 600_000),
    KEYS_CACHED_MAX: count(1_000_000, 10_000),
    /** What a team may do that has no limits of its own; 0: that much is not limited. */
    TEAM_REQUESTS_PER_SECOND: limit(50),
    TEAM_REQUESTS_BURST: limit(100),
    TEAM_IN_FLIGHT_MAX: limit(64),
    /** How long the answer to an `Idempotency-Key` is kept; and how large it may be, with what it takes beside its body. */
    IDEMPOTENCY_KEPT_MS: count(86_400_000, 600_000),
    IDEMPOTENCY_ANSWER_BYTES_MAX: count(16 * MiB, 256 * 1024),
    /** Answers that are kept for a team, and for all teams together. Above it, further ones are not. */
    IDEMPOTENCY_TEAM_BYTES_MAX: count(1024 * MiB, 32 * MiB),
    IDEMPOTENCY_BYTES_MAX: count(64 * 1024 * MiB, 128 * MiB),
    /** Origins of pages that may call, separated by commas: `https://a.example,https://b.example`. None by default. */
    CORS_ORIGINS: z
      .string()
      .default("")
      .transform((list) => list.split(",").map((origin) => origin.trim()))
      .transform((list) => list.filter((origin) => origin !== "")),

    BODY_BYTES_MAX: count(1024 * MiB, 32 * MiB),
    /** Bodies that are held at a time, from their first byte to the end of their call. */
    BODIES_IN_FLIGHT_BYTES_MAX: count(64 * 1024 * MiB, 512 * MiB),
    /** A client that sends more slowly than this is cut off. */
    BODY_RECEIVE_MS: count(600_000, 120_000),
    IMAGE_BYTES_MAX: count(256 * MiB, 10 * MiB),
    IMAGE_PIXELS_MAX: count(1_000_000_000, 40_000_000),
    IMAGE_SIDE_MIN_PX: count(1_024, 16),
    /** Headers of images that are read at the same time, and that may wait for it. */
    HEADER_CHECKS_MAX: count(64, 2),
    HEADER_CHECKS_WAITING_MAX: count(100_000, 2_000),
    CANDIDATE_VECTORS_MAX: count(100_000, 1_000),
    /** The source takes one task of the call. */
    CANDIDATE_IMAGES_MAX: count(callTasksMax - 1, 50),
    VECTOR_LENGTH_MAX: count(vectorLengthMax, vectorLengthMax),
    /** At least two: one alone could not tell that an image has several. */
    FACES_MAX: z.coerce.number().int().min(2).max(100).default(100),

    DEADLINE_DEFAULT_MS: count(3_600_000, 30_000),
    DEADLINE_MIN_MS: count(3_600_000, 50),
    DEADLINE_MAX_MS: count(3_600_000, 120_000),

    /** By the names of the catalogue. */
    MODELS_ENABLED: names("Dlib"),
    MODEL_DEFAULT: z.string().default("Dlib"),
    DETECTORS_ENABLED: names("ssd,tiny"),
    DETECTOR_DEFAULT: z.string().default("ssd"),

    /** Where the reference of the errors is served: `https://faces.example`. Empty: relative to this service. */
    PUBLIC_URL: z.string().default(""),
  })
  .refine((settings) => settings.MODELS_ENABLED.includes(settings.MODEL_DEFAULT), {
    path: ["MODEL_DEFAULT"],
    error: "must be one of MODELS_ENABLED",
  })
  .refine((settings) => settings.BODY_BYTES_MAX <= settings.BODIES_IN_FLIGHT_BYTES_MAX, {
    path: ["BODIES_IN_FLIGHT_BYTES_MAX"],
    error: "must have room for one body of BODY_BYTES_MAX",
  })
  .refine((settings) => settings.DETECTORS_ENABLED.includes(settings.DETECTOR_DEFAULT), {
    path: ["DETECTOR_DEFAULT"],
    error: "must be one of DETECTORS_ENABLED",
  })
  .refine(
    ({ DEADLINE_MIN_MS, DEADLINE_DEFAULT_MS, DEADLINE_MAX_MS }) =>
      DEADLINE_MIN_MS <= DEADLINE_DEFAULT_MS && DEADLINE_DEFAULT_MS <= DEADLINE_MAX_MS,
    { path: ["DEADLINE_DEFAULT_MS"], error: "must lie between DEADLINE_MIN_MS and DEADLINE_MAX_MS" },
  );
export type HttpSettings = z.infer<typeof HttpSettings>;
