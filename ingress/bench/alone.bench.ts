import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { metricsOff } from "@faceline/contracts/runtime/metrics/metrics";
import { Catalogue, readCatalogue } from "@faceline/models/catalogue";
import { fastify } from "fastify";
import { HttpSettings } from "../src/config.ts";
import { LoadedModels } from "../src/models/loaded-models.ts";
import { buildServer } from "../src/server.ts";

// The HTTP server of the ingress with nothing behind it, or a bare Fastify that parses the same JSON and
// replies {}. A benchmark starts one process of each, and calls them in turn on the same cores:
//
//     alone.bench.ts ingress KEY VECTOR_LENGTH   ──► { port }
//     alone.bench.ts bare                        ──► { port }

const [, , which = "", key = "", vectorLength = ""] = process.argv;
const app = which === "ingress" ? await ingress() : bare();
await app.listen({ host: "127.0.0.1", port: 0 });
process.on("disconnect", () => process.exit());
process.send!({ port: (app.server.address() as AddressInfo).port });

async function ingress() {
  const sha256 = createHash("sha256").update(key).digest("hex");
  const record = {
    key: { id: crypto.randomUUID(), name: "bench", team: "bench", createdAt: 0, disabled: false },
    limits: {},
  };
  const settings = HttpSettings.parse({});
  return buildServer(
    {
      clock: { now: () => performance.timeOrigin + performance.now() },
      dispatch: () => Promise.reject(new Error("calls of vectors alone need no worker")),
      findKey: async (digest) => (digest === sha256 ? record : null),
      acquireTeamSlot: async () => ({ release() {} }),
      acquireVisitorSlot: async () => ({ release() {} }),
      acquireSharedVisitorSlot: async () => ({ release() {} }),
      acquireIdempotencyKey: () => Promise.reject(new Error("no call here has an Idempotency-Key")),
      poolStates: () => [],
      dependencyHealth: () => ({ kafka: true, redis: true }),
      isServing: () => true,
      isStopping: () => false,
      drainTimeout: new AbortController().signal,
      metrics: metricsOff,
      decideSampling: () => false,
      recordCall: () => {},
      reportClosedConnection: () => {},
      reportConnectionsFull: () => {},
      reportBug: (error) => process.stderr.write(`${(error as Error).stack}\n`),
    },
    settings,
    new LoadedModels(await catalogueOf(Number(vectorLength)), settings),
  );
}

/** JSON and arithmetic are measured: of a model only the length of its vectors matters. */
async function catalogueOf(embeddingSize: number): Promise<Catalogue> {
  const { models } = await readCatalogue();
  return new Catalogue(
    models.map((model) => (model.role === "embedding" ? { ...model, embedding_size: embeddingSize } : model)),
  );
}

function bare() {
  const app = fastify({ bodyLimit: 32 * 1024 * 1024 });
  app.get("/health", async () => ({}));
  app.post("/compare", async () => ({}));
  return app;
}
