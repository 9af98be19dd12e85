import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { testServer } from "../testing/server.ts";
import { warnOfUntrustedProxy } from "./untrusted-proxy.ts";

test("a proxy that is not named in TRUSTED_PROXIES is warned of once, whatever path it asks for", async (t) => {
  const { app, warnings } = serverBehind(t, "");
  await app.inject("/health");
  assert.deepEqual(warnings, []);
  for (const url of ["/nothing", "/health", "/sign-in/x"]) {
    await app.inject({ url, headers: { "x-forwarded-for": "192.0.2.1" } });
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^X-Forwarded-For came from an address that TRUSTED_PROXIES does not name;/);
  assert.doesNotMatch(warnings[0]!, /192\.0\.2|127\.0\.0/);
});

test("a trusted proxy is not warned of, and an untrusted one before it is", async (t) => {
  const { app, warnings } = serverBehind(t, "127.0.0.1,10.0.0.0/8");
  for (const chain of ["192.0.2.1", "192.0.2.1, 10.0.0.1"]) {
    await app.inject({ url: "/health", headers: { "x-forwarded-for": chain } });
  }
  assert.deepEqual(warnings, []);
  await app.inject({ url: "/health", headers: { "x-forwarded-for": "192.0.2.1, 172.16.0.1" } });
  assert.equal(warnings.length, 1);
});

test("a proxy that names its client in another header is warned of, too", async (t) => {
  for (const headers of [{ forwarded: "for=192.0.2.1" }, { "x-real-ip": "192.0.2.1" }]) {
    const { app, warnings } = serverBehind(t, "127.0.0.1");
    await app.inject({ url: "/health", headers });
    assert.match(warnings[0] ?? "", /without X-Forwarded-For.*TRUSTED_PROXIES/);
  }
});

function serverBehind(t: TestContext, proxies: string) {
  const { app } = testServer(t, { settings: { TRUSTED_PROXIES: proxies } });
  const warnings: string[] = [];
  warnOfUntrustedProxy(app, (sentence) => warnings.push(sentence));
  return { app, warnings };
}
