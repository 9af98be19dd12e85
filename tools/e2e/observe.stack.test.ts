import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { type TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { operatorsPortSettings, operatorsPorts } from "@faceline/deploy/launcher/operators-ports";
import { checkPorts, freePorts } from "@faceline/deploy/launcher/ports";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";
import { deleteTopics } from "@faceline/deploy/launcher/topics";
import { portraits } from "@faceline/testing/faces";
import { findInstalledPrometheus } from "@faceline/deploy/testing/promtool";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";

const [img1, img2] = (await portraits()).map((each) => each.toString("base64"));
const home = openStateFolder(resolve(repository, process.env["FACELINE_STATE"] ?? ".faceline"));

test("npm start -- --observe", async (t) => {
  const { post, observe, zipkin, prometheus, busyWorker, stop } = await startObserved(t);
  const traceOf = (traceId: string) => readJson<ZipkinSpan[]>(`${zipkin}/api/v2/trace/${traceId}`);
  const search = async (query: Record<string, string>) => {
    const parameters = new URLSearchParams({ lookback: "900000", ...query });
    return (await readJson<ZipkinSpan[][]>(`${zipkin}/api/v2/traces?${parameters.toString()}`))!;
  };

  await t.test(
    "a call is a trace of three services in Zipkin, and leads to the trace of its batch",
    async () => {
      const response = await post("/verify", { img1, img2 });
      assert.equal(response.status, 200);
      const traceId = traceIdIn(response.headers);
      await waitUntil("the trace is whole", async () => isWhole(await traceOf(traceId), 2));
      const spans = (await traceOf(traceId))!;
      assert.deepEqual([...new Set(spans.map(({ localEndpoint }) => localEndpoint.serviceName))].toSorted(), [
        "faceline-batcher",
        "faceline-inference",
        "faceline-ingress",
      ]);
      const ids = new Set(spans.map(({ id }) => id));
      assert.ok(spans.every(({ parentId }) => parentId === undefined || ids.has(parentId)));

      const batchId = spans.find(({ name }) => name === "infer")!.tags["faceline.batch.id"]!;
      await waitUntil("the batch has ended", async () => {
        const found = await search({ annotationQuery: `faceline.batch.id=${batchId}` });
        return found.some((trace) => trace.some(({ name }) => name === "batch"));
      });
    },
  );

  await t.test("a call whose worker is killed is found among the retried ones, with its error", async () => {
    const call = post("/represent", { img: img1 });
    // While its run of 5 s continues.
    process.kill(await busyWorker(), "SIGKILL");
    const { status, headers } = await call;
    assert.equal(status, 200);
    const traceId = traceIdIn(headers);
    await waitUntil("the trace is whole", async () => isWhole(await traceOf(traceId), 1));
    const lost = (await traceOf(traceId))!.find(({ name }) => name === "lost attempt")!;
    assert.equal(lost.tags["error"], "the batch was lost");
    const link = await fetch(`${observe}traces/retried`, { redirect: "manual" });
    const query = new URL(link.headers.get("location")!).searchParams;
    const found = await search({
      annotationQuery: query.get("annotationQuery")!,
      endTs: query.get("endTs")!,
    });
    assert.ok(found.some(([span]) => span!.traceId === traceId));
  });

  await t.test("the page leads to what is there", async () => {
    const page = await (await fetch(observe)).text();
    assert.match(page, /ingress-1.*traces\/slow.*traces\/refused/s);
    for (const [, address] of page.matchAll(/href="(http[^"]*\/(?:metrics|readyz))"/g)) {
      // The worker that was killed comes back.
      await waitUntil(`${address} answers`, () =>
        fetch(address!).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
    }
  });

  await t.test("Prometheus reaches every process", async (t) => {
    if (prometheus === undefined)
      return t.skip("NOT CHECKED: there is no Prometheus, nor packages of Debian");
    const up = async () => {
      const { data } = (await readJson<QueryResponse>(`${prometheus}/api/v1/query?query=up`))!;
      return data.result.map(({ metric, value: [, value] }) => `${metric.job} ${metric.instance} ${value}`);
    };
    const all = [
      "faceline-batcher batcher-1 1",
      "faceline-inference inference-1 1",
      "faceline-inference inference-2 1",
      "faceline-ingress ingress-1 1",
    ];
    // The killed worker comes back at the same address.
    await waitUntil("all are up", async () => (await up()).toSorted().join() === all.join());
  });

  await t.test("its end ends all of it", async () => {
    assert.equal(await stop(), 0);
    for (const origin of [observe, zipkin, ...(prometheus === undefined ? [] : [prometheus])]) {
      await assert.rejects(fetch(origin), origin);
    }
  });
});

/** Starts the launcher itself, on the servers of the test run, with a state folder and a pool of its own. */
async function startObserved(t: TestContext) {
  const run = mkdtempSync(join(process.env["FACELINE_TEST_RUN"] ?? tmpdir(), "observe-"));
  const state = join(run, "state");
  mkdirSync(state, { mode: 0o700 });
  // What was fetched before is not fetched again.
  mkdirSync(home.zipkin, { recursive: true });
  symlinkSync(home.zipkin, join(state, "zipkin"));
  symlinkSync(home.models, join(state, "models"));
  const commands = await findInstalledPrometheus();
  if (commands?.source !== "from PATH") symlinkSync(home.prometheus, join(state, "debian-prometheus"));

  const [port = 0, observePort = 0, zipkinPort = 0, prometheusPort = 0] = await freePorts(4);
  const operators = await freeOperatorsPorts();
  const pool = `test-${randomBytes(6).toString("hex")}`;
  const env = {
    ...process.env,
    FACELINE_STATE: state,
    POOL: pool,
    PORT: `${port}`,
    OBSERVE_PORT: `${observePort}`,
    ZIPKIN_PORT: `${zipkinPort}`,
    PROMETHEUS_PORT: `${prometheusPort}`,
    OPERATORS_PORT: `${operators["ingress-1"]}`,
  };
  const script = join(repository, "deploy/commands/start.ts");
  const args = [script, "--observe", "--dev-key", "--workers", "2", "--engine", "model:5000+1b"];
  const launcher = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(launcher, "exit");
  t.after(async () => {
    launcher.kill("SIGTERM");
    await ended;
    await deleteTopics(readConfig(KafkaConfig, process.env), pool);
  });
  let printed = "";
  launcher.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await waitUntil("it is ready", () => {
    assert.equal(launcher.exitCode, null, printed);
    return printed.includes("Ctrl-C stops everything");
  });
  const [, observe] = /observe {2}(\S+)/.exec(printed) ?? [];
  assert.equal(observe, `http://127.0.0.1:${observePort}/`, printed);
  const [, key = ""] = /key +(\S+)/.exec(printed) ?? [];
  return {
    post: apiClient(`http://127.0.0.1:${port}`, key),
    observe,
    zipkin: `http://127.0.0.1:${zipkinPort}`,
    prometheus: commands === undefined ? undefined : `http://127.0.0.1:${prometheusPort}`,
    /** The process id of the worker that runs a task, as soon as one does. */
    async busyWorker(): Promise<number> {
      let busy: string | undefined;
      const isBusy = async (name: string) =>
        /^faceline_run_tasks [1-9]/m.test(await readText(`http://127.0.0.1:${operators[name]}/metrics`));
      await waitUntil("a task runs", async () => {
        for (const name of ["inference-1", "inference-2"]) if (await isBusy(name)) busy = name;
        return busy !== undefined;
      });
      const { running } = JSON.parse(readFileSync(join(state, "processes.json"), "utf8")) as ProcessesFile;
      return running.find(({ name }) => name === busy)!.pid;
    },
    async stop(): Promise<unknown> {
      launcher.kill("SIGINT");
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

async function freeOperatorsPorts(): Promise<Record<string, number>> {
  for (;;) {
    // Below the range from which the system gives out ports.
    const ports = operatorsPorts(randomInt(20_000, 30_000), { ingress: 1, batchers: 1, workers: 2 });
    const areFree = checkPorts(operatorsPortSettings("127.0.0.1", ports)).then(
      () => true,
      () => false,
    );
    if (await areFree) return ports;
  }
}

/** Whether the first span and those of all images have come; more where a batch was sent again. */
function isWhole(spans: ZipkinSpan[] | undefined, images: number): boolean {
  const ended = spans?.filter(({ name }) => name === "infer").length;
  return ended! >= images && spans!.some(({ parentId }) => parentId === undefined);
}

const traceIdIn = (headers: Headers): string => headers.get("traceparent")!.split("-")[1]!;

const readText = async (url: string): Promise<string> => (await fetch(url)).text();

/** Undefined if there is nothing. */
async function readJson<T>(url: string): Promise<T | undefined> {
  const response = await fetch(url);
  return response.status === 404 ? undefined : ((await response.json()) as T);
}

type ZipkinSpan = {
  traceId: string;
  id: string;
  parentId?: string;
  name: string;
  localEndpoint: { serviceName: string };
  tags: Record<string, string>;
};

type QueryResponse = {
  data: { result: { metric: { job: string; instance: string }; value: [number, string] }[] };
};
type ProcessesFile = { running: { name: string; pid: number }[] };
