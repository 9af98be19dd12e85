import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Span, trace, TraceFlags } from "@opentelemetry/api";
import type { InputFault } from "@faceline/contracts/http/errors";
import type { RequestId } from "@faceline/contracts/http/response-fields";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { newTraceId } from "@faceline/runtime/random";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { Answer } from "@faceline/contracts/wire/answer";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { PoolState } from "@faceline/contracts/wire/pool-state";
import { noWait } from "@faceline/contracts/wire/timing";
import { Catalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import sharp from "sharp";
import type { DispatchedCall, Ports } from "../src/call/ports.ts";
import { CallRecord } from "../src/call/record.ts";
import { HttpSettings } from "../src/config.ts";
import { EnabledModels } from "../src/models/enabled-models.ts";
import { buildServer } from "../src/server.ts";

/**
 * Builds the HTTP server with ports of its own and closes it after the test. Time stands still at `testNow`,
 * every image shows one face with the embedding `[1, 0]`, and models have embeddings of two numbers, so that
 * a test can write them down.
 */
export function testServer(
  t: { after(end: () => Promise<void>): void; diagnostic(text: string): void },
  { settings = {}, catalogue, accounts, limits, ...overrides }: TestServerOptions = {},
): TestServer {
  const dispatched: DispatchedCall[] = [];
  const ports: Ports = {
    clock: { now: () => testNow },
    dispatch: async ({ images, memory }) => {
      // As when the images are stored.
      memory.free();
      return images.map(() => facesAnswer([1, 0]));
    },
    findKey: async (sha256) => (sha256 === digest ? testKeyRecord : null),
    acquireTeamSlot: async () => ({ release() {} }),
    acquireVisitorSlot: async () => ({ release() {} }),
    acquireSharedVisitorSlot: async () => ({ release() {} }),
    poolStates: () => [testPool],
    dependencyHealth: () => ({ kafka: true, redis: true, redisDurable: true, hasTopics: true }),
    isServing: () => true,
    isStopping: () => false,
    drainTimeout: new AbortController().signal,
    startSpan: (name, at, parent = { traceId: newTraceId(), spanId: "", traceFlags: TraceFlags.SAMPLED }) =>
      tracingOff.startCall(name, at, parent),
    recordCall: () => {},
    metrics: metricsOff,
    reportClosedConnection: () => {},
    reportConnectionsFull: () => {},
    reportBug: (error) => t.diagnostic(String(error)),
    ...overrides,
  };
  const { dispatch } = ports;
  ports.dispatch = (call) => {
    // The memory of the images is used again when the call has ended.
    dispatched.push({ ...call, images: call.images.map((image) => Buffer.from(image)) });
    return dispatch(call);
  };
  const config = HttpSettings.parse(settings);
  const models = new EnabledModels(catalogue ?? new Catalogue(testModels), config);
  const app = buildServer(ports, config, models, { accounts, limits });
  t.after(() => app.close());
  const post: TestServer["post"] = (url, body, headers = {}) => {
    const named = isFields(body) ? { model_name: "SFace", ...body } : (body as object);
    return app.inject({ method: "POST", url, body: named, headers: { "x-api-key": testKey, ...headers } });
  };
  return { app, dispatched, post };
}

const isFields = (body: unknown): body is object =>
  typeof body === "object" && body !== null && Object.getPrototypeOf(body) === Object.prototype;

export const testNow = 1_800_000_000_000;
export const testKey = "a key of the team";
const digest = createHash("sha256").update(testKey).digest("hex");
export const testKeyRecord = {
  key: {
    id: "5b1b2f60-3f0e-4a43-9d54-5a8c1d1f4f10",
    name: "laptop",
    team: "ants",
    createdAt: testNow,
    disabled: false,
  },
  limits: {},
};

/** Build that the workers of a test run. */
export const testBuild: LaneBuild = {
  digest: "0".repeat(16),
  modelVersion: "0123456789ab",
  precision: "float32",
};
/** The record of a call with this clock. `span`: its own, without which its trace is sampled. */
export function testRecord(now: () => number, span: Span = sampledSpan): CallRecord {
  const context = span.spanContext();
  const record = new CallRecord({
    requestId: "a" as RequestId,
    route: "/verify",
    trace: { span, context, parent: clientSpan },
    now,
  });
  record.deadlineMs = 2_000;
  return record;
}

export const clientSpan = {
  traceId: "a".repeat(32),
  spanId: "c".repeat(16),
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
};
const sampledSpan = trace.wrapSpanContext({ ...clientSpan, spanId: "b".repeat(16) });

export const answerWith = (outcome: Outcome): Answer => ({
  task: "a/nonce/0" as TaskId,
  outcome,
  timing: { ...noWait, attempts: 1, prepareMs: 2, runMs: 3, answerMs: 1 },
  build: testBuild,
});

/** The same answer from a worker with another build. */
export const answeredBy = (answer: Answer, build: Partial<LaneBuild>): Answer => ({
  ...answer,
  build: { ...testBuild, ...build },
});

/** The answer for an image that shows faces with these embeddings, largest first. */
export const facesAnswer = (...vectors: number[][]): Answer =>
  answerWith({
    kind: "faces",
    faces: vectors.map((vector, i) => ({
      area: testFacialArea(i),
      confidence: 0.9,
      embedding: encodedEmbedding(vector),
    })),
  });

export const rejectedAnswer = (code: InputFault): Answer => answerWith({ kind: "rejected", code });
export const encodedEmbedding = (vector: number[]): string => encodeEmbedding(Float32Array.from(vector));
export const testFacialArea = (i: number) => ({
  x: i,
  y: 0,
  w: 9,
  h: 9,
  left_eye: [6, 3] as [number, number],
  right_eye: [3, 3] as [number, number],
  detector: "ssd",
  face_found: true,
});

/** Waits until `condition` resolves to true. Throws after two minutes; `what` completes its message. */
export async function waitUntil(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + waitMaxMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`waited ${waitMaxMs} ms in vain until ${what}`);
    await sleep(pollEveryMs);
  }
}

const pollEveryMs = 10;
const waitMaxMs = 120_000;

/** An image of one colour, as Base64. */
export async function base64Image(
  side = 32,
  format: "jpeg" | "png" | "webp" | "avif" | "gif" | "tiff" = "jpeg",
): Promise<string> {
  const plain = sharp({ create: { width: side, height: side, channels: 3, background: "teal" } });
  return (await plain.toFormat(format).toBuffer()).toString("base64");
}

const graph = (name: string) => ({
  name,
  batch_buckets: [1],
  source: { kind: "onnx_file", file: { path: "x", sha256: "0".repeat(64) }, origin: "a test" },
  builds: [{ precision: "float32", input_px: 512, file: `${name}.onnx`, bytes: 1, sha256: "0".repeat(64) }],
  licenses: [{ id: "MIT", covers: "all of it", stated_by: "a test" }],
});

/** A rate of 0.1 up to the distance 0.2, and of 0.9 from 0.4 on. */
const madeUpCurve = { pairs: 9, distances: [0.2, 0.4], ranks: [1, 9] };

export const testModels = [
  {
    ...graph("SFace"),
    role: "embedding",
    embedding_size: 2,
    embedding_norm: { min: 1.2, max: 2 },
    thresholds: { cosine: 0.1, euclidean: 0.6, euclidean_l2: 0.4472 },
    thresholds_from: { cosine: "a test", euclidean: "a test", euclidean_l2: "a test" },
    false_match_curves: { cosine: madeUpCurve, euclidean: madeUpCurve },
    normalizations: ["base"],
    landmarks: "landmarks",
  },
  { ...graph("landmarks"), role: "landmarks" },
  { ...graph("ssd"), role: "detector" },
  { ...graph("blazeface"), role: "detector" },
] as unknown as Model[];

export const testPool = {
  pool: "default",
  lanes: [
    {
      lane: "SFace/auto",
      build: testBuild,
      waiting: 3,
      workers: 2,
      expectedWaitMs: 12,
      expectedRunMs: 40,
      taskMs: 20,
      batchMax: 8,
      executionProvider: "cpu",
      precisions: [],
    },
  ],
} as unknown as PoolState;

type TestServerOptions = Partial<Ports> & {
  settings?: Record<string, unknown>;
  catalogue?: Catalogue;
} & Parameters<typeof buildServer>[3];
export type TestServer = {
  app: FastifyInstance;
  /** The calls that were sent to workers. */
  dispatched: DispatchedCall[];
  /** Fields name the model SFace, without which vectors are refused; `model_name: null` leaves it out. */
  post(url: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
};
