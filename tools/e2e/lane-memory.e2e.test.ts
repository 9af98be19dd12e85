// Covers lanes that leave where memory for models is short: MODELS_MEMORY_MIB.
import assert from "node:assert/strict";
import test from "node:test";
import { HealthResponse } from "@faceline/contracts/http/health";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { portraits } from "@faceline/testing/faces";
import { processMemory, processMemoryIsReadable } from "@faceline/testing/process-memory";
import { apiClient } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

// In float the files of Dlib/ssd have 86 MiB, of which ssd has 63; those of Dlib/tiny have one more.
const settings = { MODELS_LOAD: "first_call", MODELS_MEMORY_MIB: "86", PRECISION: "float" };
const turns = 3;
/** Less than half of the files of ssd: the model files of the last load wait for the garbage collection. */
const givenBackMib = 20;

test("where memory holds one lane, calls wait for theirs, the other one leaves, and its memory is given back", async (t) => {
  const { address, post, services } = await startStack(t, { settings });
  const [first, second] = (await portraits()).map((picture) => picture.toString("base64"));
  const loadedLanes = async () => {
    const health = HealthResponse.parse(await (await fetch(`${address}/health`)).json());
    const lanes = Object.values(health.checks.pools).flatMap((pool) => Object.entries(pool));
    return lanes.filter(([, { workers }]) => workers > 0).map(([lane]) => lane);
  };
  const residentMib: Record<string, number[]> = { ssd: [], tiny: [] };

  for (let turn = 0; turn < turns; turn++) {
    for (const detector_backend of ["ssd", "tiny"]) {
      const body = { img1: first, img2: second, detector_backend };
      const reply = await post("/verify", body);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal(VerifyResponse.parse(reply.body).verified, false);
      assert.deepEqual(await loadedLanes(), [`Dlib/${detector_backend}`]);
      if (!processMemoryIsReadable) continue;
      const { nowMib } = processMemory(services.find("inference-1").pid!);
      residentMib[detector_backend]!.push(nowMib);
      t.diagnostic(`${detector_backend}: ${Math.round(nowMib)} MiB resident`);
    }
  }
  const [ssd = [], tiny = []] = [residentMib["ssd"], residentMib["tiny"]];
  for (const [turn, mib] of tiny.entries()) assert.ok(mib < ssd[turn]! - givenBackMib, `${mib} MiB`);

  await t.test("an anonymous call does not make a lane leave", async () => {
    const visitor = apiClient(address, "", 1);
    for (let call = 0; call < 5; call++) {
      const { status } = await visitor(
        "/tester/verify",
        { img1: first, img2: second, detector_backend: "ssd" },
        { origin: address },
      );
      assert.equal(status, 503);
      assert.deepEqual(await loadedLanes(), ["Dlib/tiny"]);
    }
    const reply = await visitor(
      "/tester/verify",
      { img1: first, img2: second, detector_backend: "tiny" },
      { origin: address },
    );
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  });
});
