// Covers `npm run models -- enabled | enable | disable | default`, and ingress/src/models.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isDeepStrictEqual } from "node:util";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { Problem } from "@faceline/contracts/http/problem";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";
import { startDurableServer } from "./stack/redis-servers.ts";
import { startStack } from "./stack/stack.ts";

const vectors = { img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };

test("operators enable and disable models while two ingresses run", async (t) => {
  const durable = await startDurableServer(t);
  const running = await startStack(t, {
    ingress: 2,
    settings: durable.access("keys"),
    ownSettings: { ingress: durable.access("ingress") },
  });
  const models = commandWith(durable.access("keys"));
  const clients = running.addresses.map((address) => apiClient(address, running.key));
  const bothOffer = async (...offer: [detectors: string[], byDefault: string]) => {
    for (const address of running.addresses) {
      await waitUntil(`${address} offers ${offer.join(", ")}`, async () => {
        const reply = await (await fetch(`${address}/capabilities`)).json();
        const { detectors, default_detector } = CapabilitiesResponse.parse(reply);
        return isDeepStrictEqual([detectors, default_detector], offer);
      });
    }
  };

  await t.test("the list shows what is loaded, and by how many ingresses", async () => {
    const list = [
      "kind      name  state    loaded by",
      "model     Dlib  default  2 of 2 ingresses",
      "detector  ssd   default  2 of 2 ingresses",
      "detector  tiny  enabled  2 of 2 ingresses",
      "",
    ].join("\n");
    // The command waits a second for them.
    await waitUntil("both reply in time", async () => (await models("enabled")).printed === list);
  });

  await t.test("both ingresses follow", async () => {
    assert.match((await models("disable", "tiny")).printed, /^tiny is disabled; .* follow\./);
    await bothOffer(["ssd"], "ssd");
    for (const post of clients) {
      const { status, body } = await post("/verify", { ...vectors, detector_backend: "tiny" });
      assert.deepEqual([status, Problem.parse(body).error], [400, "detector_not_allowed"]);
    }
    await models("enable", "tiny");
    await models("default", "tiny");
    assert.match((await models("disable", "ssd")).printed, /^ssd is disabled; .* follow\./);
    await bothOffer(["tiny"], "tiny");
    for (const post of clients) {
      const { status, body } = await post("/verify", vectors);
      assert.deepEqual([status, (body as { detector_backend: string }).detector_backend], [200, "tiny"]);
    }
    await models("enable", "ssd");
  });

  await t.test("a call under way ends with the detector that it began with", async () => {
    const worker = running.services.find("inference-1");
    const img = (await portraits())[0]!.toString("base64");
    const post = clients[0]!;
    assert.equal((await post("/represent", { img, detector_backend: "ssd" })).status, 200);
    // The call waits in the worker until it goes on.
    worker.kill("SIGSTOP");
    const underWay = post("/represent", { img, detector_backend: "ssd" });
    const isWaiting = async () => (await inFlight(running.address)) > 0;
    try {
      await Promise.race([underWay, waitUntil("the call waits for the worker", isWaiting)]);
      assert.equal((await models("disable", "ssd")).code, 0);
    } finally {
      worker.kill("SIGCONT");
    }
    const { status, body } = await underWay;
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body as { detector_backend: string }).detector_backend, "ssd");
    await models("enable", "ssd");
  });

  await t.test(
    "an impossible change is refused with advice, and a wrong command line with the usage",
    async () => {
      for (const [args, code, sentence] of [
        [["disable", "Dlib"], 1, "Dlib is the only model that is enabled: enable another one first.\n"],
        [["disable", "tiny"], 1, "tiny is the default detector: make another one the default first.\n"],
        [["enable", "ssd"], 0, "The detector ssd is enabled already.\n"],
        [["enable"], 2, "usage: npm run models -- enabled | enable NAME | disable NAME | default NAME\n"],
      ] as const) {
        assert.deepEqual(await models(...args), { code, printed: sentence });
      }
      assert.match(
        (await models("default", "Facenet")).printed,
        /^No ingress has loaded Facenet\. Loaded are/,
      );
    },
  );

  await t.test(
    "without the durable Redis both go on with what they read; with it back, they follow again",
    async () => {
      await models("disable", "ssd");
      await bothOffer(["tiny"], "tiny");
      await durable.kill();
      await bothOffer(["tiny"], "tiny");
      for (const post of clients) assert.equal((await post("/verify", vectors)).status, 200);
      assert.match((await models("enable", "ssd")).printed, /cannot be reached/);
      await durable.startAgain();
      let printed = "";
      await waitUntil("both ingresses reply again", async () => {
        ({ printed } = await models("enabled"));
        return /ssd +disabled +2 of 2/.test(printed);
      });
      assert.match((await models("enable", "ssd")).printed, /^ssd is enabled; .* follow\./);
      await bothOffer(["ssd", "tiny"], "tiny");
    },
  );

  await t.test("an ingress that starts again reads the record before it serves", async () => {
    await models("disable", "ssd");
    const ingress = running.services.find("ingress-1");
    ingress.kill("SIGKILL");
    let detectors: unknown;
    await waitUntil("it serves again", async () => {
      const reply = await fetch(`${running.address}/capabilities`).catch(() => undefined);
      if (reply === undefined) return false;
      ({ detectors } = (await reply.json()) as { detectors: unknown });
      return true;
    });
    assert.deepEqual(detectors, ["tiny"]);
  });

  await t.test("the log of an ingress says what was enabled when", () => {
    const log = readFileSync(join(running.logs, "ingress-2.log"), "utf8");
    assert.match(
      log,
      /"version":1,.*"detectors":\{"names":\["ssd"\],"default":"ssd"\}.*"msg":"models enabled"/,
    );
  });
});

/** Calls that wait at a worker, by the pool's state. */
async function inFlight(address: string): Promise<number> {
  const health = (await (await fetch(`${address}/health`)).json()) as {
    checks: { pools: Record<string, Record<string, { waiting: number; expected_wait_ms: number }>> };
  };
  const lanes = Object.values(health.checks.pools).flatMap((pool) => Object.values(pool));
  return lanes.reduce((sum, lane) => sum + lane.waiting, 0);
}

/** Runs `npm run models -- …` with these settings, until an ingress answers in the second that it waits. */
const commandWith = (settings: Record<string, string>) => {
  const main = join(import.meta.dirname, "../../deploy/commands/models.ts");
  const env = { ...process.env, ...settings };
  return async (...args: string[]): Promise<{ code: number; printed: string }> => {
    let [code, printed] = [0, ""];
    await waitUntil("an ingress answers", async () => {
      const ended = Promise.withResolvers<void>();
      execFile(process.execPath, [main, ...args], { env }, (error, out, wrong) => {
        [code, printed] = [Number(error?.code ?? 0), out + wrong];
        ended.resolve();
      });
      await ended.promise;
      return !printed.startsWith("No ingress answers");
    });
    return { code, printed };
  };
};
