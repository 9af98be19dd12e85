// Covers deploy/compose/compose.proxy.yaml and docs/operating/high-availability.md.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { tinyJpeg } from "@faceline/bench/images";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { Steps } from "@faceline/deploy/launcher/steps";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { Compose, type Container, findPodmanCompose } from "./containers/compose.ts";
import { openEngine, withoutContainers } from "./stand-ins/images.ts";
import { measureCeiling } from "./rolling/ceiling.ts";
import { SteadyCalls, tableOfPhases } from "./rolling/steady-calls.ts";

const files = [
  "compose.yaml",
  "compose.proxy.yaml",
  join(import.meta.dirname, "containers/compose.load.yaml"),
];
/** Services in the order of an upgrade. */
const services = ["inference", "batcher", "ingress"];
const deadlineMs = 5_000;
/** Share of the load that the stack can bear with all processes: others may need a core meanwhile. */
const loadShare = 0.35;
const callsBetween = 100;

test("every service is restarted in containers under load, and each call is answered in time", {
  skip: withoutContainers(),
}, async (t) => {
  const steps = new Steps();
  const python = await findPodmanCompose(steps, t.signal);
  const { engine, folder } = await openEngine(steps);
  const [port] = await freePorts(1);
  const compose = new Compose({ engine, python, folder, port: port!, files });
  t.after(() => compose.remove());
  await compose.remove();
  await steps.run("compose", () => compose.start());
  const waitUntilRedundant = () =>
    waitUntil("two ingresses are ready", () => isOk(`${compose.address}/proxyz`));
  const isReady = async ({ id, name }: Container) => {
    const address = await compose.operatorsAddress(id);
    await waitUntil(`${name} is ready`, () => isOk(`${address}/readyz`));
  };
  const containers = (await compose.containers()).filter(({ service }) => services.includes(service));
  await steps.run("ready", async () => {
    await Promise.all(containers.map(isReady));
    await waitUntilRedundant();
  });

  const img = (await tinyJpeg()).toString("base64");
  const key = compose.readSecret("first-api-key");
  const url = `${compose.address}/verify`;
  const bodies = [JSON.stringify({ img1: img, img2: img })];
  const target = { url, headers: { "x-api-key": key }, bodies };
  const ceiling = await measureCeiling(steps, { target, inFlight: 32, countedMs: 15_000 });

  const calls = new SteadyCalls({
    ...target,
    key,
    phase: "nothing restarts",
    perSecond: loadShare * ceiling,
    deadlineMs,
    check: ({ verified }) => typeof verified === "boolean",
  });
  t.after(() => calls.stop());
  await calls.moreEnded(callsBetween);
  for (const service of services) {
    for (const container of containers.filter((each) => each.service === service)) {
      calls.phase = container.name;
      await steps.run(`restart of ${container.name}`, async () => {
        await compose.restart(container);
        await isReady(container);
        await waitUntilRedundant();
      });
      await calls.moreEnded(callsBetween);
    }
  }
  const { ends, connections } = await calls.stop();

  t.diagnostic(
    `${ends.length} calls on ${connections} connections, ${(loadShare * ceiling).toFixed(1)} a second`,
  );
  console.log(tableOfPhases(ends, deadlineMs));
  const missed = ends.filter(({ end, tookMs }) => end !== "200" || tookMs > deadlineMs);
  if (missed.length > 0) console.log(await compose.logs());
  assert.deepEqual(missed, []);
});

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}
