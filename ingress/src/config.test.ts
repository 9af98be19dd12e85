import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  accountsAreOn,
  HttpSettings,
  IngressConfig,
  openAccessWarning,
  proxyWarning,
  usageIsCounted,
} from "./config.ts";

test("AUTH=off is warned of where the service listens on more than loopback", () => {
  const warned = (HOST: string, AUTH: "on" | "off" = "off") =>
    openAccessWarning({ HOST, AUTH }) !== undefined;
  for (const host of ["0.0.0.0", "::", "10.0.0.4", "faces.example"]) assert.ok(warned(host), host);
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) assert.ok(!warned(host), host);
  assert.ok(!warned("0.0.0.0", "on"));
});

test("ACCOUNTS=off and PAGES=off turn off pages for people; calls are counted wherever they need a key", () => {
  const states = [{}, { ACCOUNTS: "off" }, { PAGES: "off" }, { AUTH: "off" }].map((env) => {
    const settings = HttpSettings.parse(env);
    return [accountsAreOn(settings), usageIsCounted(settings)];
  });
  assert.deepEqual(states, [
    [true, true],
    [false, true],
    [false, true],
    [false, false],
  ]);
});

test("TRUSTED_PROXIES takes addresses and CIDR ranges, and nothing that would trust everybody", () => {
  const read = (TRUSTED_PROXIES: string) => HttpSettings.safeParse({ TRUSTED_PROXIES }).data?.TRUSTED_PROXIES;
  assert.deepEqual(HttpSettings.parse({}).TRUSTED_PROXIES, []);
  assert.deepEqual(read("10.0.0.1, 192.168.0.0/16,fd00::/8, ::1"), [
    "10.0.0.1",
    "192.168.0.0/16",
    "fd00::/8",
    "::1",
  ]);
  for (const wrong of [
    "proxy.example",
    "10.0.0.0/0",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0.1/8/8",
    "10.0.0.0/",
    "*",
  ]) {
    assert.equal(read(wrong), undefined, wrong);
  }
});

test("a proxy that serves TLS and is not trusted is warned of, for the visitors of the tester alone too", () => {
  const warning = (env: Record<string, string>) =>
    proxyWarning(HttpSettings.parse({ PUBLIC_URL: "https://faces.example", ...env }));
  assert.match(warning({}) ?? "", /TRUSTED_PROXIES is empty: nobody can sign in/);
  assert.match(warning({ ACCOUNTS: "off" }) ?? "", /all visitors share the limits of one address/);
  for (const env of [{ TRUSTED_PROXIES: "10.0.0.1" }, { PUBLIC_URL: "" }, { PAGES: "off" }]) {
    assert.equal(warning(env), undefined);
  }
});

test("all wrong settings are reported together", () => {
  const wrong = HttpSettings.safeParse({
    MODELS: "SFace,SFace",
    BODY_BYTES_MAX: "0",
    DEADLINE_DEFAULT_MS: "10",
  });
  const paths = wrong.error?.issues.map(({ path }) => path.join("."));
  assert.deepEqual(paths, ["BODY_BYTES_MAX", "MODELS"]);
});

test("pools may have a Redis of their own: addresses and password files by pool", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pool-redis-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "password"), "secret\n");
  const settings = IngressConfig.parse({
    POOLS: "default,second",
    POOL_REDIS_VOLATILE_URLS: "second=rediss://ingress@redis-2:6379",
    POOL_REDIS_VOLATILE_PASSWORD_FILES: `second=${join(folder, "password")}`,
  });
  assert.deepEqual([...settings.POOL_REDIS_VOLATILE_URLS], [["second", "rediss://ingress@redis-2:6379"]]);
  assert.deepEqual([...settings.POOL_REDIS_VOLATILE_PASSWORD_FILES], [["second", "secret"]]);
});

test("a Redis of a pool that is not used, or that is named badly, is a wrong setting", () => {
  const issues = (env: Record<string, string>) =>
    IngressConfig.safeParse(env).error?.issues.map(({ path, message }) => `${path.join()}: ${message}`);
  assert.deepEqual(issues({ POOL_REDIS_VOLATILE_URLS: "second=redis://a:1" }), [
    "POOL_REDIS_VOLATILE_URLS: names second, which is not one of POOLS",
  ]);
  assert.deepEqual(issues({ POOL_REDIS_VOLATILE_URLS: "redis://:secret@a:1" }), [
    "POOL_REDIS_VOLATILE_URLS: must have items POOL=VALUE, separated by commas; one has no pool or no value",
  ]);
  const twice = { POOL_REDIS_VOLATILE_URLS: "default=redis://a:1,default=redis://b:1" };
  assert.deepEqual(issues(twice), ["POOL_REDIS_VOLATILE_URLS: names the pool default twice"]);
  assert.deepEqual(issues({ POOL_REDIS_VOLATILE_PASSWORD_FILES: "default=/nowhere" }), [
    "POOL_REDIS_VOLATILE_PASSWORD_FILES: default: the file cannot be read (ENOENT)",
  ]);
});
