// Covers deploy/observe/alerts.yml on a running stack.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { openProducer } from "@faceline/runtime/kafka-producer";
import { connectRedis } from "@faceline/runtime/redis";
import { tasksTopic } from "@faceline/contracts/wire/names";
import { testUser } from "@faceline/deploy/launcher/server-access";
import { portraits } from "@faceline/testing/faces";
import { alertsFile } from "@faceline/deploy/testing/observe-files";
import { openPrometheus } from "@faceline/deploy/testing/prometheus";
import { findInstalledPrometheus } from "@faceline/deploy/testing/promtool";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { runConcurrently } from "./stack/api-client.ts";
import { startVolatileServer } from "./stack/redis-servers.ts";
import { startStack, type TestStack } from "./stack/stack.ts";

// Minutes are seconds here: the window of an hour has a minute. promtool alone tests some: a worker falls
// back to float (FacelinePrecisionFallback) only on a CPU without VNNI, no load makes as many combinations of
// labels as FacelineMetricsOverflow needs, and FacelineKafkaDisk, FacelineVersionSkew and FacelineSpansLost
// need a full disk, two releases, and a receiver that fails.

const settings = {
  // Two images in 0.2 s, 20 in a second with each worker.
  ENGINE: "model:196+2b",
  TEAM_REQUESTS_PER_SECOND: "0",
  TEAM_IN_FLIGHT_MAX: "0",
};

test("no alert fires in a healthy burst, and each fires on its fault", async (t) => {
  if ((await findInstalledPrometheus()) === undefined)
    return t.skip("NOT CHECKED: there is no Prometheus, nor apt-get to fetch one");
  const redis = await startVolatileServer(t);
  const stack = await startStack(t, {
    operators: true,
    workers: 2,
    batchers: 2,
    ingress: 2,
    restart: { firstMs: 50, maxMs: 50 },
    settings,
    ownSettings: {
      ingress: redis.access("ingress"),
      batcher: redis.access("batcher"),
      inference: redis.access("inference"),
    },
  });
  const prometheus = (await openPrometheus(t, { targets: stack.operatorsPorts, rules: fastRules() }))!;
  const alerts = async (expression: string) =>
    (await prometheus.query(expression)).map(({ metric }) => metric["alertname"]!);
  const firing = () => alerts('count by (alertname) (ALERTS{alertstate="firing"})');
  const processes = Object.keys(stack.operatorsPorts).length;
  await waitUntil("Prometheus reads all processes", async () => {
    const [up] = await prometheus.query("sum(up)");
    return Number(up?.value[1]) === processes && (await firing()).length === 0;
  });

  await t.test("a healthy burst: none", async () => {
    const from = Date.now();
    const statuses = await callFor(stack, healthyMs, { inFlightMax: 2 });
    assert.ok(statuses.length > 20 && statuses.every((status) => status === 200));
    const seconds = Math.floor((Date.now() - from) / 1_000);
    const seen = `count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${seconds}s]))`;
    assert.deepEqual(await alerts(seen), []);
  });

  /** `fault` begins one and returns what ends it. */
  const fires = (alert: string, cause: string, fault: () => Promise<() => unknown>) =>
    t.test(`${alert}: ${cause}`, async () => {
      assert.ok(!(await firing()).includes(alert), "it fires before its fault");
      const mend = await fault();
      try {
        await waitUntil(`${alert} fires`, async () => (await firing()).includes(alert));
      } finally {
        await mend();
      }
    });
  /** Stops processes without ending them; they go on afterwards. */
  const suspend = (...names: string[]) => {
    for (const name of names) stack.services.find(name).kill("SIGSTOP");
    return async () => {
      for (const name of names) stack.services.find(name).kill("SIGCONT");
      await waitUntil("the service is well again", async () => (await callFor(stack, 0, {}))[0] === 200);
    };
  };
  /** Stops workers for 600 ms of each second, which is less than makes them count as dead. */
  const stall = async (names: string[], end: AbortSignal) => {
    while (!end.aborted) {
      for (const name of names) stack.services.find(name).kill("SIGSTOP");
      await sleep(600);
      for (const name of names) stack.services.find(name).kill("SIGCONT");
      await sleep(400);
    }
  };
  const stallUnderLoad = (names: string[]) => {
    const endLoad = load({});
    const end = new AbortController();
    const stalls = stall(names, end.signal);
    return async () => {
      end.abort();
      await stalls;
      await endLoad();
    };
  };
  const load = (headers: Record<string, string>) => {
    const end = new AbortController();
    const calls = callUntil(stack, { inFlightMax: 100, headers, end: end.signal });
    return async () => {
      end.abort();
      await calls;
    };
  };

  await fires("FacelineDeadLetters", "a message that cannot be read", async () => {
    await using producer = await openProducer(readConfig(KafkaConfig, process.env), "alerts-test");
    await producer.send(tasksTopic(stack.pool), 0, "no tasks");
    return () => {};
  });
  await fires("FacelineRedisNearlyFull", "the volatile Redis has little memory left", () =>
    shrink(redis.addressFor(testUser)),
  );
  await fires("FacelineLatencyBudgetBurn", "more calls than are answered in a second", async () => load({}));
  await fires("FacelineErrorBudgetBurn", "more calls than can be answered in time", async () =>
    load({ "x-request-timeout-ms": "1000" }),
  );
  await fires("FacelineWorkerSlow", "one worker of two stands still for half of the time", async () =>
    stallUnderLoad(["inference-2"]),
  );
  await fires("FacelineRunTimeModelWrong", "one run in two takes four times as long", async () =>
    stallUnderLoad(workers),
  );
  await fires("FacelineProcessRestarts", "an ingress dies again and again", async () => {
    const ingress = stack.services.find("ingress-2");
    const startedAt = 'process_start_time_seconds{instance="ingress-2"}';
    const mended = new AbortController();
    const dying = async () => {
      // Prometheus sees each start once before the process is killed.
      for (let seen = ""; !mended.signal.aborted; ) {
        await waitUntil("a new process is seen", async () => {
          const [start] = await prometheus.query(startedAt);
          const isNew = start !== undefined && start.value[1] !== seen;
          if (isNew) seen = start.value[1];
          return isNew || mended.signal.aborted;
        });
        if (!mended.signal.aborted) ingress.kill("SIGKILL");
      }
    };
    const deaths = dying();
    return async () => {
      mended.abort();
      await deaths;
    };
  });
  await fires("FacelineTargetDown", "one process hangs", async () => suspend("inference-2"));
  await fires("FacelineWorkerMissing", "one worker of two hangs", async () => suspend("inference-2"));
  await fires("FacelineStandbyMissing", "the standby hangs", async () => {
    const [standby] = await prometheus.query("faceline_batcher_active == 0");
    return suspend(standby!.metric["instance"]!);
  });
  const calls = callFor(stack, 0, { times: 40 });
  await fires("FacelineNoWorkers", "all workers hang", async () => suspend(...workers));
  await calls;
  await fires("FacelineQueueOld", "all workers hang while calls wait", async () => {
    const waiting = callFor(stack, 0, { times: 200, inFlightMax: 200 });
    await waitUntil("calls wait", async () => {
      const [tasks] = await prometheus.query("sum(faceline_queue_tasks)");
      return Number(tasks?.value[1]) > 20;
    });
    const resume = suspend(...workers);
    return async () => {
      await resume();
      await waiting;
    };
  });
  await fires("FacelineDependencyRed", "the volatile Redis hangs, and background work fails", async () => {
    redis.suspend();
    return async () => {
      await waitUntil("FacelineBackgroundFailures fires too", async () =>
        (await firing()).includes("FacelineBackgroundFailures"),
      ).finally(redis.resume);
    };
  });
  await waitUntil("calls are served again", async () => (await callFor(stack, 0, {}))[0] === 200);
  await fires("FacelineNoBatcher", "both batchers hang", async () => suspend("batcher-1", "batcher-2"));
  await fires("FacelineNoIngress", "all ingresses hang", async () => suspend("ingress-1", "ingress-2"));
});

/** Returns the rules with seconds in place of minutes, and the same thresholds. */
function fastRules(): string {
  const seconds: Record<string, number> = { m: 1, h: 60, d: 24 * 60 };
  return readFileSync(alertsFile, "utf8")
    .replaceAll(
      /(\[|for: )(\d+)([mhd])\b/g,
      (_, before: string, count: string, unit: string) => `${before}${Number(count) * seconds[unit]!}s`,
    )
    .replaceAll(/\* (\d+) >=/g, (_, windowSeconds: string) => `* ${Number(windowSeconds) / 60} >=`);
}

const workers = ["inference-1", "inference-2"];
const healthyMs = 20_000;

/** Calls for a time, or a number of times, and returns the statuses. */
async function callFor(stack: TestStack, forMs: number, options: CallOptions): Promise<number[]> {
  const { inFlightMax = 40, times } = options;
  if (times !== undefined) {
    const items = Array.from({ length: times });
    return runConcurrently({ inFlightMax }, items, () => callOnce(stack));
  }
  if (forMs === 0) return [await callOnce(stack)];
  return callUntil(stack, { inFlightMax, end: AbortSignal.timeout(forMs) });
}

async function callUntil(
  stack: TestStack,
  { inFlightMax, headers, end }: { inFlightMax: number; headers?: Record<string, string>; end: AbortSignal },
): Promise<number[]> {
  const statuses: number[] = [];
  await runConcurrently({ inFlightMax }, Array.from({ length: inFlightMax }), async () => {
    while (!end.aborted) statuses.push(await callOnce(stack, headers));
  });
  return statuses;
}

async function callOnce({ postOnce }: TestStack, headers: Record<string, string> = {}): Promise<number> {
  return (await postOnce("/represent", { img: image, detector_backend: "tiny" }, headers)).status;
}

/** Cropped once, or the calls would wait for that. */
const image = (await portraits())[0]!.toString("base64");

/** Keeps a Redis' limit a twentieth above what it uses, also as answers expire. Returns what undoes that. */
async function shrink(url: string): Promise<() => Promise<void>> {
  const redis = await connectRedis("REDIS_VOLATILE_URL", url, 1_000);
  const shrinkNow = async () => {
    const used = /^used_memory:(\d+)/m.exec(await redis.info("memory"))![1];
    await redis.config("SET", "maxmemory", Math.round(1.05 * Number(used)));
  };
  await shrinkNow();
  const timer = setInterval(() => void shrinkNow(), 500);
  return async () => {
    clearInterval(timer);
    await redis.config("SET", "maxmemory", "64mb");
    await redis[Symbol.asyncDispose]();
  };
}

type CallOptions = { inFlightMax?: number; times?: number };
