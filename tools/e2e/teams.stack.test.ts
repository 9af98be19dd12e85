import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { CompareResponse } from "@faceline/contracts/http/compare";
import { readConfig } from "@faceline/runtime/config";
import { connectVolatileRedis, VolatileRedisConfig } from "@faceline/runtime/redis";
import { idempotencyRecordKey } from "@faceline/contracts/wire/names";
import { portraits } from "@faceline/testing/faces";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient, type Post } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const vectors = { img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };

test("keys and limits of teams, on two ingresses", async (t) => {
  const running = await startStack(t, { ingress: 2 });
  const pictures = (await portraits()).map((picture) => picture.toString("base64"));

  await t.test(
    "a key of `npm run keys` is limited over both ingresses together, and rejected by both after it is revoked",
    async () => {
      const [key = ""] = (await keys("create", "--team", team(), "--per-second", "1", "--burst", "3")).split(
        "\n",
      );
      const clients = running.addresses.map((address) => apiClient(address, key));
      const startedAt = performance.now();
      let served = 0;
      let refused: Awaited<ReturnType<Post>> | undefined;
      await waitUntil("a call is refused", async () => {
        const calls = await Promise.all([...clients, ...clients].map((post) => post("/verify", vectors)));
        served += calls.filter(({ status }) => status === 200).length;
        refused = calls.find(({ status }) => status === 429);
        return refused !== undefined;
      });
      const refilled = Math.ceil((performance.now() - startedAt) / 1_000);
      assert.ok(served >= 3 && served <= 3 + refilled, `${served} calls were served`);
      assert.equal(refused!.headers.get("retry-after"), "1");
      await keys("revoke", "--prefix", key);
      for (const post of clients) {
        await waitUntil("the key is refused", async () => (await post("/verify", vectors)).status === 403);
      }
    },
  );

  await t.test("an Idempotency-Key has one answer on both ingresses", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const clients = running.addresses.map((address) => apiClient(address, running.key));
    const body = { img1: pictures[0], img2: pictures[1], detector_backend: "tiny" };
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, i) => clients[i % 2]!("/verify", body, headers)),
    );
    assert.equal(new Set(calls.map((call) => JSON.stringify(call.body))).size, 1);
    assert.equal(calls[0]!.status, 200);
    const first = calls.filter(({ headers }) => headers.get("idempotency-replayed") === null);
    assert.equal(first.length, 1);
  });

  await t.test("a call whose ingress is killed is computed again by the other ingress", async () => {
    await using redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
    const headers = { "idempotency-key": randomUUID(), "x-request-timeout-ms": "120000" };
    const [killed, other] = running.addresses.map((address) => apiClient(address, running.key));
    // Enough pictures that the call is still in flight when its ingress is killed.
    const candidates = Array.from({ length: 20 }, (_, i) => pictures[i % pictures.length]);
    const body = { img: pictures[0], candidates };
    const lost = assert.rejects(killed!("/compare", body, headers));
    const sha256 = createHash("sha256").update(headers["idempotency-key"]).digest("hex");
    const claim = idempotencyRecordKey(running.pool, sha256);
    await waitUntil("the call is under way", async () => (await redis.hget(claim, "state")) === "running");
    running.services.find("ingress-1").kill("SIGKILL");
    await lost;
    const reply = await other!("/compare", body, headers);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(CompareResponse.parse(reply.body).results.length, candidates.length);
    assert.equal(reply.headers.get("idempotency-replayed"), null);
  });
});

const team = (): string => `team-${randomUUID()}`;

async function keys(...args: string[]): Promise<string> {
  const main = join(import.meta.dirname, "../../deploy/commands/keys.ts");
  return (await promisify(execFile)(process.execPath, [main, ...args])).stdout;
}
