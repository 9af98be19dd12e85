import assert from "node:assert/strict";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { VolatileRedisConfig } from "@faceline/runtime/redis";
import { subscribe } from "@faceline/runtime/redis-subscription";
import { reportsChannel } from "@faceline/contracts/wire/names";
import { Report } from "@faceline/contracts/wire/report";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

test("a worker that must stop leaves a long run to another worker, and exits before its end", async (t) => {
  const settings = { ENGINE: "model:8000+0b", WORKER_DRAIN_WITHIN_MS: "500" };
  const { services, pool, post } = await startStack(t, { settings });
  const worker = services.find("inference-1");
  const { pid } = worker;

  const reports: Report[] = [];
  const config = readConfig(VolatileRedisConfig, process.env);
  await using _reports = await subscribe(config, [reportsChannel(pool)], (message) => {
    reports.push(Report.parse(JSON.parse(message.toString())));
  });
  const [image] = await portraits();
  const body = { img: image!.toString("base64") };
  let answered = false;
  const response = post("/represent", body, { "x-request-timeout-ms": "120000" }).finally(() => {
    answered = true;
  });
  await waitUntil("the run has begun", async () => reports.at(-1)?.running != null);
  worker.kill("SIGTERM");
  await waitUntil("the worker has exited", async () => worker.pid !== pid);
  assert.equal(answered, false);

  const stopping = reports.filter((report) => report.draining);
  assert.deepEqual([stopping.at(0)?.running !== null, stopping.at(-1)?.running], [true, null]);
  assert.equal((await response).status, 200);
});
