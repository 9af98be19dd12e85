// Covers docs/operating/upgrades.md: processes of two releases on one broker and one Redis.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { startHaproxy, waitUntilRedundant, withoutHaproxy } from "@faceline/runtime/testing/haproxy";
import { newDevKey, storeKey } from "@faceline/deploy/launcher/dev-key";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { createTopics, deleteTopics, topicOptions } from "@faceline/deploy/launcher/topics";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { measureCeiling } from "./rolling/ceiling.ts";
import { processNames, RollingProcesses } from "./rolling/processes.ts";
import { checkOutWithPackages, commitOfReleaseBefore, versionBefore } from "./rolling/release-before.ts";
import { SteadyCalls, tableOfPhases } from "./rolling/steady-calls.ts";
import { apiClient } from "./stack/api-client.ts";
import { readAccess } from "./stack/stack.ts";

const settings = {
  MODELS: "Dlib",
  DETECTORS: "tiny",
  DETECTOR_DEFAULT: "tiny",
  LOG_LEVEL: "info",
  DRAIN_NOTICE_MS: "3000",
};
/** Deadline of calls which set none. */
const deadlineMs = 30_000;
/** Share of the load that the stack can bear with all processes. */
const loadShare = 0.7;
const callsBetween = 20;
/** Replies of two builds of the same networks differ by less. */
const distanceTolerance = 1e-3;

test(`release ${versionBefore} is upgraded to this code and back under load, one process after another`, {
  skip: withoutHaproxy,
}, async (t) => {
  const commit = await commitOfReleaseBefore();
  if (commit === undefined) {
    t.skip(
      `NOT CHECKED with release ${versionBefore}: the history has no commit of it (git fetch --unshallow)`,
    );
    return;
  }
  const steps = new Steps();
  await using opened = new AsyncDisposableStack();
  const run = process.env["FACELINE_TEST_RUN"]!;
  const before = opened.use(
    await steps.run(`release ${versionBefore}`, () => checkOutWithPackages(commit, join(run, "before"))),
  );
  const { pool, key } = await openPool(opened);
  const [proxyPort = 0, ...ports] = await freePorts(3);
  const processes = opened.use(new RollingProcesses({ access: readAccess(), pool, ports, settings }));
  await steps.run("processes", () => processes.start(before.path));
  opened.use(await startHaproxy(proxyPort, ports));
  const address = `http://127.0.0.1:${proxyPort}`;

  const pictures = (await portraits()).map((picture) => picture.toString("base64"));
  const bodies = pictures.map((img2) => ({ img1: pictures[0], img2, detector_backend: "tiny" }));
  const post = apiClient(address, key);
  const distances: unknown[] = [];
  for (const body of bodies) {
    await waitUntil("a call is answered", async () => (await post("/verify", body)).status === 200);
    const { distance } = (await post("/verify", body)).body as { distance: number };
    distances.push(distance);
  }
  const target = {
    url: `${address}/verify`,
    headers: { "x-api-key": key },
    bodies: bodies.map((body) => JSON.stringify(body)),
  };
  const ceiling = await measureCeiling(steps, { target, inFlight: 16, countedMs: 10_000 });

  const calls = new SteadyCalls({
    ...target,
    key,
    phase: "nothing is replaced",
    perSecond: loadShare * ceiling,
    deadlineMs,
    check: ({ distance }, body) =>
      Math.abs((distance as number) - (distances[body] as number)) < distanceTolerance,
  });
  opened.defer(async () => void (await calls.stop()));
  await calls.moreEnded(callsBetween);
  for (const [name, code] of [
    ["this code", repository],
    [versionBefore, before.path],
  ] as const) {
    for (const process of processNames) {
      calls.phase = `${process} becomes ${name}`;
      await steps.run(calls.phase, () => processes.replace(process, code));
      await waitUntilRedundant(proxyPort);
      await calls.moreEnded(callsBetween);
    }
  }
  const { ends, connections } = await calls.stop();

  t.diagnostic(
    `${ends.length} calls on ${connections} connections, ${(loadShare * ceiling).toFixed(1)} a second`,
  );
  console.log(tableOfPhases(ends, deadlineMs));
  assert.deepEqual(
    ends.filter(({ end, tookMs }) => end !== "200" || tookMs > deadlineMs),
    [],
  );
});

/** Topics and a key for the two releases. */
async function openPool(opened: AsyncDisposableStack): Promise<{ pool: string; key: string }> {
  const pool = `test-${randomBytes(6).toString("hex")}`;
  const kafka = readConfig(KafkaConfig, process.env);
  const config = readConfig(LauncherConfig, process.env);
  await createTopics(kafka, topicOptions(config, pool, new AbortController().signal));
  opened.defer(() => deleteTopics(kafka, pool));
  const key = newDevKey();
  await storeKey(process.env, key, pool);
  return { pool, key };
}
