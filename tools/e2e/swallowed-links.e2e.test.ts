import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HealthReply } from "@faceline/contracts/http/health";
import { readConfig } from "@faceline/runtime/config";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { imageKey } from "@faceline/contracts/wire/names";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { type Link, startProxiedStack } from "./stack/swallowed-links.ts";

// Times are asserted here, because they are what the test is about: see "What happens when something dies" in
// ARCHITECTURE.md.

/** SWALLOWED_MS=10000 is shorter; SWALLOWED_LINK=Kafka tries the links with that in their name. */
const swallowedMs = Number(process.env["SWALLOWED_MS"] ?? 30_000);
const named = process.env["SWALLOWED_LINK"] ?? "";
const callEveryMs = 250;
const refusedWithinMs = 1_200;
const noticedWithinMs = 3_000;
const servedWithinMs = 5_000;
const memoryGrowthMaxMib = 64;

const expectations: Record<Link, "ingress not ready" | "pool without workers" | "served"> = {
  "ingress–volatile Redis": "ingress not ready",
  "ingress–Kafka": "ingress not ready",
  // Keys that were used before stay valid.
  "ingress–durable Redis": "served",
  "batcher–volatile Redis": "pool without workers",
  "batcher–Kafka": "pool without workers",
  "inference–volatile Redis": "pool without workers",
  "inference–Kafka": "pool without workers",
};

test("links whose packets are swallowed for 30 s", async (t) => {
  const { stack, links } = await startProxiedStack(t);
  await using redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  const [portrait] = await portraits();
  const body = { img: portrait!.toString("base64"), detector_backend: "tiny" };
  const call = async (): Promise<Call> => {
    const startedAt = performance.now();
    const { status } = await stack.post("/represent", body, { "x-request-timeout-ms": "10000" });
    return { status, startedAt, ms: performance.now() - startedAt };
  };
  const readyz = async () => (await fetch(`${stack.address}/readyz`)).status;
  const workers = async () => {
    const health = HealthReply.parse(await (await fetch(`${stack.address}/health`)).json());
    return health.checks.pools[stack.pool]?.["Dlib/tiny"]?.workers ?? 0;
  };
  const memoryMib = () => residentMib(stack.services.find("ingress-1").pid!);
  /** What a call takes on this machine when nothing is wrong: the bounds are those of the service. */
  let usualMs = 0;
  for (let i = 0; i < 50; i++) {
    const { status, ms } = await call();
    assert.equal(status, 200);
    // The first ones warm everything up.
    if (i >= 10) usualMs = Math.max(usualMs, ms);
  }

  for (const [link, expected] of Object.entries(expectations) as [Link, string][]) {
    if (!link.includes(named)) continue;
    await t.test(link, async (t) => {
      const before = memoryMib();
      const swallowedAt = performance.now();
      links[link].swallow();
      let noticedMs = Number.NaN;
      const calls: Promise<Call>[] = [];
      while (performance.now() - swallowedAt < swallowedMs) {
        calls.push(call());
        const noticed = expected === "ingress not ready" ? (await readyz()) === 503 : (await workers()) === 0;
        if (noticed && Number.isNaN(noticedMs)) noticedMs = performance.now() - swallowedAt;
        await sleep(callEveryMs);
      }
      links[link].resume();
      const resumedAt = performance.now();
      await waitUntil("calls are served again", async () => (await call()).status === 200);
      const servedMs = performance.now() - resumedAt;

      const ended = await Promise.all(calls);
      const refused = ended.filter(({ status }) => status === 503);
      const slowest = Math.max(0, ...refused.map(({ ms }) => ms));
      const counts = Map.groupBy(ended, ({ status }) => status);
      const facts = [...counts].map(([status, some]) => `${some.length} × ${status}`).join(", ");
      t.diagnostic(
        `${facts}; noticed after ${noticedMs.toFixed()} ms, slowest refusal ${slowest.toFixed()} ms, ` +
          `served ${servedMs.toFixed()} ms after packets flowed, memory ${before} to ${memoryMib()} MiB; usual ${usualMs.toFixed()} ms`,
      );
      assert.ok(servedMs <= servedWithinMs + usualMs);
      assert.ok(slowest <= refusedWithinMs + usualMs);
      // Calls that were accepted before it was noticed may miss their deadline; no later one does.
      const late = ended.filter(
        ({ status, startedAt }) =>
          status !== 503 && status !== 200 && startedAt - swallowedAt > noticedWithinMs,
      );
      assert.deepEqual(late, []);
      if (expected === "served") assert.equal(refused.length, 0);
      else assert.ok(noticedMs <= noticedWithinMs + usualMs);
      await waitUntil(
        "no image is left",
        async () => (await redis.keys(imageKey("*" as TaskId))).length === 0,
      );
      assert.ok(memoryMib() - before < memoryGrowthMaxMib);
    });
  }
});

function residentMib(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024);
}

type Call = { status: number; startedAt: number; ms: number };
