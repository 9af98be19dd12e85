import assert from "node:assert/strict";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { runConcurrently } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const callsMax = 40;
const responsesMax = 400;

test("two workers with one model in two precisions, as on CPUs with and without int8", async (t) => {
  const running = await startStack(t, {
    workers: 2,
    workerSettings: [{ PRECISION: "auto" }, { PRECISION: "float" }],
  });
  const { post } = running;
  const [portrait = Buffer.alloc(0)] = await portraits();
  const img = portrait.toString("base64");
  const capabilities = async () =>
    CapabilitiesResponse.parse(await (await fetch(`${running.address}/capabilities`)).json());
  const dlibPrecisions = async () =>
    (await capabilities()).model_details["SFace"]!.builds.filter(({ name }) => name === "SFace").map(
      ({ precision }) => precision,
    );
  const calls = [...Array(callsMax).keys()];

  await t.test("an image is at distance 0 from itself, whoever works on it", async () => {
    for (const inFlightMax of [1, 8]) {
      const distances = await runConcurrently({ inFlightMax }, calls, async () => {
        const response = await post("/verify", { img1: img, img2: img });
        assert.equal(response.status, 200, JSON.stringify(response.body));
        return VerifyResponse.parse(response.body).distance;
      });
      const mixed = distances.filter((distance) => distance > 1e-5);
      assert.deepEqual(mixed, [], `${mixed.length} of ${callsMax} calls, ${inFlightMax} at a time`);
    }
  });

  await t.test("both work, /represent names the precision, and both have the model version", async (t) => {
    const { model_version } = (await capabilities()).model_details["SFace"]!;
    const precisions = (await dlibPrecisions()).toSorted();
    if (precisions.length < 2) {
      t.skip("this CPU runs no int8: both workers have the same build");
      return;
    }
    assert.deepEqual(precisions, ["float32", "int8"]);
    const responses: RepresentResponse["results"] = [];
    const seen = (what: "precision" | "model_version") => [...new Set(responses.map((each) => each[what]))];
    // One batch may take all calls in flight, and the faster worker may be free again before the next.
    while (seen("precision").length < 2 && responses.length < responsesMax)
      await runConcurrently({ inFlightMax: callsMax }, calls, async () => {
        responses.push(...RepresentResponse.parse((await post("/represent", { img })).body).results);
      });
    assert.deepEqual(seen("precision").toSorted(), ["float32", "int8"]);
    assert.deepEqual(seen("model_version"), [model_version]);
  });

  await t.test("/capabilities shows what is left when the worker of one build is gone", async () => {
    let precisions: string[] = [];
    const isOneLeft = async () => {
      precisions = await dlibPrecisions();
      return precisions.length === 1;
    };
    running.services.find("inference-1").kill("SIGSTOP");
    await waitUntil("one build is left", isOneLeft).finally(() => {
      running.services.find("inference-1").kill("SIGCONT");
    });
    assert.deepEqual(precisions, ["float32"]);
  });
});
