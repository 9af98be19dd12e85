// One fault after another on real processes under a steady load. FAULTS=topic,kill runs those whose names
// have one of these words.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { median } from "@faceline/contracts/testing/quantile";
import { tinyJpeg } from "@faceline/bench/images";
import { table } from "@faceline/bench/report";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { openOtlpReceiver } from "@faceline/testing/otlp-receiver";
import { bodyBytesMax, type Fault, faults, fullDisk, type Rig } from "./faults/faults.ts";
import { type CallEnd, noAnswer, SteadyCalls, wrongAnswer } from "./rolling/steady-calls.ts";
import { startBroker } from "./stack/broker.ts";
import { startStack } from "./stack/stack.ts";

const perSecond = 7;
const deadlineMs = 5_000;
const metrics = ["cosine", "euclidean", "euclidean_l2"];
/** Calls in a row that have to be served before the next fault. */
const servedBetween = 2 * perSecond;
/** Calls after a fault, in which its effects show: longer than a session of Kafka and a takeover. */
const observedAfter = 6 * perSecond;

const words = (process.env["FAULTS"] ?? "").split(",");
const chosen = (list: Fault[]): Fault[] =>
  list.filter(({ name }) => words.some((word) => name.includes(word)));

test("no fault causes a wrong answer or loses a call, and each refusal names its cause", (t) =>
  play(t, chosen(faults)));

test("the same of a full disk of Kafka, which comes back by itself", async (t) => {
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "small-disk-"));
  const list = chosen([fullDisk(folder)]);
  if (list.length === 0) return;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "faceline", folder]).status !== 0) {
    return t.skip("NOT CHECKED with a full disk: this user may not mount one (try `unshare -rm`)");
  }
  await using opened = new AsyncDisposableStack();
  opened.defer(() => void spawnSync("umount", ["-l", folder]));
  const { brokers } = opened.use(await startBroker(folder));
  try {
    await play(t, list, { KAFKA_BROKERS: brokers });
  } finally {
    // After the stack, which deletes its topics when it stops.
    const servers = opened.move();
    t.after(() => servers.disposeAsync());
  }
});

/** Starts a Faceline, and plays one fault after another. */
async function play(t: TestContext, list: Fault[], settings: Record<string, string> = {}): Promise<void> {
  if (list.length === 0) return;
  const img = (await tinyJpeg()).toString("base64");
  const collector = await openOtlpReceiver();
  const stack = await startStack(t, {
    workers: 2,
    batchers: 2,
    operators: true,
    settings: {
      ENGINE: "model:60+10b",
      // The storm is to reach the pool.
      TEAM_REQUESTS_PER_SECOND: "0",
      TEAM_REQUESTS_BURST: "0",
      BODY_BYTES_MAX: `${bodyBytesMax}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: "none",
      ...settings,
    },
  });
  const bodies = metrics.map((metric) => ({ img1: img, img2: img, distance_metric: metric }));
  const truths = await Promise.all(bodies.map(async (body) => verdictOf(await stack.post("/verify", body))));
  const calls = new SteadyCalls({
    phase: "start",
    url: `${stack.address}/verify`,
    key: stack.key,
    bodies: bodies.map((body) => JSON.stringify(body)),
    perSecond,
    deadlineMs,
    check: (answer, index) => verdictOf({ body: answer }) === truths[index],
  });
  const rig: Rig = { stack, calls, body: bodies[0], collector };
  t.after(async () => {
    await calls.stop();
    await rig.collector.close();
  });

  const rows: string[][] = [];
  for (const fault of list) {
    await t.test(fault.name, async () => {
      const { ends, endedAt } = await run(fault, rig);
      rows.push(rowOf(fault, ends, endedAt));
      const allowed = new Set(["200", ...(fault.allowed ?? [])]);
      const others = ends.filter(({ end }) => !allowed.has(kindOf(end)));
      assert.deepEqual(countsOf(others), "");
    });
  }
  const head = ["fault", "calls", "200", "others", "wrong", "lost", "last other", "median", "slowest"];
  t.diagnostic(`\n${table(head, rows)}`);
}

/** Resolves when the service serves again, with the calls since before the fault. */
async function run({ name, act, deadlineMs: ownMs = deadlineMs }: Fault, rig: Rig) {
  const { calls } = rig;
  await served(calls);
  calls.deadlineMs = ownMs;
  calls.phase = name;
  // Those that are in flight when the fault begins are its own.
  await calls.moreEnded(servedBetween);
  await act(rig);
  const endedAt = Date.now();
  await calls.moreEnded(observedAfter);
  await served(calls);
  return { ends: calls.ends.filter(({ phase }) => phase === name), endedAt };
}

const served = (calls: SteadyCalls): Promise<void> =>
  waitUntil(`${calls.phase}: calls are served again`, () =>
    calls.ends.length < servedBetween
      ? false
      : calls.ends.slice(-servedBetween).every(({ end, tookMs }) => end === "200" && tookMs < 1_000),
  );

function rowOf({ name }: Fault, ends: CallEnd[], endedAt: number): string[] {
  const count = (kind: string) => `${ends.filter(({ end }) => end === kind).length}`;
  const others = ends.filter(({ end }) => end !== "200");
  const lastMs = Math.max(...others.map((each) => each.endedAt)) - endedAt;
  const took = ends.map(({ tookMs }) => tookMs);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  return [
    name,
    `${ends.length}`,
    count("200"),
    countsOf(others),
    count(wrongAnswer),
    count(noAnswer),
    // After the end of the fault.
    others.length === 0 ? "–" : seconds(lastMs),
    seconds(median(took)),
    seconds(Math.max(...took)),
  ];
}

const countsOf = (ends: CallEnd[]): string =>
  [...Map.groupBy(ends, ({ end }) => kindOf(end))]
    .map(([kind, calls]) => `${calls.length} × ${kind}`)
    .join(", ");

const kindOf = (end: string): string =>
  /ECONNREFUSED|ECONNRESET|EPIPE|hang up/.test(end) ? "no connection" : end;

/** What distinguishes the answers of the three bodies: the modelled engine finds the same face everywhere. */
function verdictOf({ body }: { body: unknown }): string {
  const { verified, distance, threshold, similarity_metric } = body as Record<string, unknown>;
  return JSON.stringify([verified, distance, threshold, similarity_metric]);
}
