import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { InputFault } from "@faceline/contracts/http/errors";
import type { Answer } from "@faceline/contracts/wire/answer";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { Catalogue, type Model } from "@faceline/models/catalogue";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import sharp from "sharp";
import { buildApp } from "./http/app.ts";
import type { FacesCall, Ports } from "./ports.ts";
import { HttpSettings } from "./settings.ts";

/**
 * Sets the stage of a test: the HTTP side with ports of its own, where time stands at `stageNow` and every image shows
 * one face, `[1, 0]`. Models have embeddings of two numbers here, so that a test can write them down.
 */
export function stage(t: TestContext, { settings = {}, catalogue, ...overrides }: Staging = {}): Stage {
  const asked: FacesCall[] = [];
  const ports: Ports = {
    clock: { now: () => stageNow },
    findFaces: async ({ images }) => images.map(() => faces([1, 0])),
    findKey: async (sha256) => (sha256 === digest ? stageKey : null),
    enter: async () => ({ leave() {} }),
    claim: async () => ({ kind: "claimed", claim: { keep: async () => {}, free: async () => {} } }),
    poolStates: () => [stagePool],
    checks: async () => ({ kafka: true, redis: true }),
    serving: () => true,
    unexpected: (error) => t.diagnostic(String(error)),
    ...overrides,
  };
  const { findFaces } = ports;
  ports.findFaces = (call) => {
    asked.push(call);
    return findFaces(call);
  };
  const app = buildApp(ports, HttpSettings.parse(settings), catalogue ?? new Catalogue(models));
  t.after(() => app.close());
  const post: Stage["post"] = (url, body, headers = {}) =>
    app.inject({ method: "POST", url, body: body as object, headers: { "x-api-key": key, ...headers } });
  return { app, asked, post };
}

export const stageNow = 1_800_000_000_000;
export const key = "a key of the team";
const digest = createHash("sha256").update(key).digest("hex");
export const stageKey = {
  key: {
    id: "5b1b2f60-3f0e-4a43-9d54-5a8c1d1f4f10",
    name: "laptop",
    team: "ants",
    createdAt: stageNow,
    disabled: false,
  },
  limits: {},
};

export const answer = (outcome: Outcome): Answer => ({
  task: "a/nonce/0" as TaskId,
  outcome,
  timing: { queueMs: 1, batchMs: 2, inferMs: 3 },
});

/** Faces with these embeddings, largest first. */
export const faces = (...vectors: number[][]): Answer =>
  answer({
    kind: "faces",
    faces: vectors.map((vector, i) => ({ area: areaOf(i), confidence: 0.9, embedding: embedding(vector) })),
  });

export const rejected = (code: InputFault): Answer => answer({ kind: "rejected", code });
export const embedding = (vector: number[]): string => encodeEmbedding(Float32Array.from(vector));
export const areaOf = (i: number) => ({
  x: i,
  y: 0,
  w: 9,
  h: 9,
  left_eye: [6, 3] as [number, number],
  right_eye: [3, 3] as [number, number],
});

/** Waits until something is so. Gives up with what it waited for, long after it would have come. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${giveUpAfterMs} ms in vain until ${what}`);
    await sleep(askEveryMs);
  }
}

const askEveryMs = 10;
const giveUpAfterMs = 20_000;

/** A picture of one colour, as Base64. */
export async function picture(side = 32, format: "jpeg" | "png" | "webp" | "gif" = "jpeg"): Promise<string> {
  const plain = sharp({ create: { width: side, height: side, channels: 3, background: "teal" } });
  return (await plain.toFormat(format).toBuffer()).toString("base64");
}

const graph = (name: string) => ({
  name,
  batch_buckets: [1],
  builds: [{ precision: "float32", input_px: 512, file: `${name}.onnx`, bytes: 1, sha256: "0".repeat(64) }],
  licenses: [{ id: "MIT", covers: "all of it", stated_by: "a test" }],
});

const models = [
  {
    ...graph("Dlib"),
    role: "embedding",
    embedding_size: 2,
    thresholds: { cosine: 0.1, euclidean: 0.6, euclidean_l2: 0.4472 },
    thresholds_from: { cosine: "a test", euclidean: "a test", euclidean_l2: "a test" },
    normalizations: ["base"],
  },
  { ...graph("ssd"), role: "detector" },
  { ...graph("tiny"), role: "detector" },
] as unknown as Model[];

export const stagePool = {
  pool: "default",
  lanes: [
    {
      lane: "Dlib/ssd",
      waiting: 3,
      workers: 2,
      expectedWaitMs: 12,
      expectedRunMs: 40,
      batchMax: 8,
      executionProvider: "cpu",
      precisions: [],
    },
  ],
} as unknown as PoolState;

type Staging = Partial<Ports> & { settings?: Record<string, unknown>; catalogue?: Catalogue };
export type Stage = {
  app: FastifyInstance;
  /** The calls that went through the batches. */
  asked: FacesCall[];
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
};
