// Covers the public tester: ingress/src/tester-routes.ts.
import assert from "node:assert/strict";
import test from "node:test";
import { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const burst = 20;

test("visitors try the service without a key, on two ingresses", async (t) => {
  const { addresses } = await startStack(t, { ingress: 2 });
  const [address = "", other = ""] = addresses;

  await t.test("both compute the same answer for the first two samples, and keep it", async () => {
    const answers = await Promise.all(addresses.map(sampleAnswer));
    for (const { request, samples, response, timing } of answers) {
      assert.deepEqual(request, { model_name: "Dlib", detector_backend: "ssd", distance_metric: "cosine" });
      assert.deepEqual(samples, ["dia-1", "dia-2"]);
      const { verified, distance, threshold } = VerifyResponse.parse(response);
      assert.ok(verified && distance > 0 && distance < threshold, `${distance} of ${threshold}`);
      assert.match(timing, /run;dur=/);
    }
    assert.equal(answers[0]!.response.distance, answers[1]!.response.distance);
    assert.deepEqual(await sampleAnswer(address), answers[0]);
  });

  await t.test("a page of another origin, and a program without one, are refused", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }, {}]) {
      const response = await visitor(address)("/tester/verify", vectors, headers);
      assert.equal(response.status, 400);
      assert.equal((response.body as { error: string }).error, "invalid_request");
    }
  });

  await t.test("calls of one address are limited over both ingresses, with Retry-After", async () => {
    const call = (origin: string) => visitor(origin)("/tester/verify", vectors, { origin });
    const startedAt = performance.now();
    let served = 0;
    let response = await call(address);
    for (; response.status === 200; served++) response = await call(served % 2 === 0 ? other : address);
    const refilled = Math.ceil((performance.now() - startedAt) / 2_000);
    assert.ok(served >= burst && served <= burst + refilled, `${served} were served`);
    const { status, headers } = response;
    assert.equal(status, 429);
    assert.equal(headers.get("ratelimit-limit"), String(burst));
    assert.ok(Number(headers.get("retry-after")) >= 1 && Number(headers.get("retry-after")) <= 2);
  });

  await t.test(
    "TESTER=off: the API goes on, the tester is not found, and /capabilities says so",
    async () => {
      const off = await startStack(t, { settings: { TESTER: "off" } });
      const response = await visitor(off.address)("/tester/verify", vectors, { origin: off.address });
      assert.equal(response.status, 404);
      assert.match((response.body as { detail: string }).detail, /turned the tester off/);
      const capabilities = CapabilitiesResponse.parse(
        await (await fetch(`${off.address}/capabilities`)).json(),
      );
      assert.equal(capabilities.features.tester, false);
      assert.equal((await off.post("/verify", vectors)).status, 200);
    },
  );
});

const vectors = { img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };
const visitor = (address: string) => apiClient(address, "");

async function sampleAnswer(address: string) {
  let response: Response | undefined;
  await waitUntil("the sample answer is computed", async () => {
    response = await fetch(`${address}/tester/sample-answer`);
    return response.status === 200;
  });
  assert.equal(response!.headers.get("cache-control"), "no-store");
  return (await response!.json()) as {
    request: unknown;
    samples: string[];
    response: VerifyResponse;
    timing: string;
  };
}
