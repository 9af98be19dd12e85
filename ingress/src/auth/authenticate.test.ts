import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import { testKeyRecord, testNow } from "../../testing/server.ts";
import { HttpSettings } from "../config.ts";
import { createAuthenticator, keyDigest } from "./authenticate.ts";

const digest = createHash("sha256").update("k1").digest("hex");

test("Keys: `Authorization: Bearer` or `x-api-key`, one is enough", () => {
  assert.equal(keyDigest({ headers: { authorization: "Bearer k1" } }), digest);
  assert.equal(keyDigest({ headers: { authorization: "bearer  k1 " } }), digest);
  assert.equal(keyDigest({ headers: { "x-api-key": "k1" } }), digest);
  assert.equal(keyDigest({ headers: { authorization: "Bearer k1", "x-api-key": "k1" } }), digest);
  assert.equal(keyDigest({ headers: { authorization: "Basic dXNlcg==", "x-api-key": "k1" } }), digest);
});

test("a key that was rotated works up to the end of its overlap", async () => {
  const request = { headers: { "x-api-key": "k1" } } as unknown as FastifyRequest;
  const authenticate = (expiresAt: number) => {
    const record = { ...testKeyRecord, key: { ...testKeyRecord.key, expiresAt } };
    const ports = { clock: { now: () => testNow }, findKey: async () => record };
    return createAuthenticator(ports, HttpSettings.parse({}))(request);
  };
  assert.equal((await authenticate(testNow + 1)).tenant, testKeyRecord.key.team);
  await assert.rejects(authenticate(testNow), { code: "key_disabled", message: /rotated and has expired/ });
});

test("a revoked key is refused as revoked, also if another one replaces it", async () => {
  const request = { headers: { "x-api-key": "k1" } } as unknown as FastifyRequest;
  for (const change of [{}, { expiresAt: testNow - 1 }, { expiresAt: testNow + 1 }]) {
    const key = { ...testKeyRecord.key, disabled: true, ...change };
    const ports = { clock: { now: () => testNow }, findKey: async () => ({ ...testKeyRecord, key }) };
    const authenticate = createAuthenticator(ports, HttpSettings.parse({}));
    await assert.rejects(authenticate(request), {
      code: "key_disabled",
      message: "The API key was revoked.",
    });
  }
});
