// Covers config.ts, port.ts and ../reply-server.ts too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import type { LivePart, LiveState } from "../../live/state.ts";
import { oddRequests, rawResponse } from "../../testing/odd-requests.ts";
import { readConfig } from "../config.ts";
import { openLog } from "../log.ts";
import { OperatorsConfig, readOperatorsToken } from "./config.ts";
import { openOperatorsPort } from "./port.ts";

const token = "0123456789abcdef";

test("a process is alive while it turns, and ready while all that it needs is responsive", async (t) => {
  let redis = false;
  const get = await openPort(t, {}, { checks: () => ({ redis, kafka: true }) });
  assert.deepEqual(await get("/livez"), { status: 200, body: "ok\n" });
  assert.deepEqual(await get("/readyz"), { status: 503, body: "not ready: redis\n" });
  redis = true;
  assert.deepEqual(await get("/readyz"), { status: 200, body: "ok\n" });
});

test("a check that fails makes 500, not a silence", async (t) => {
  const get = await openPort(t, {}, { checks: () => Promise.reject(new Error("a secret")) });
  assert.deepEqual(await get("/readyz"), { status: 500, body: "This could not be read.\n" });
});

test("metrics need the token where there is one, and health does not", async (t) => {
  const get = await openPort(t, { OPERATORS_TOKEN: token });
  assert.equal((await get("/livez")).status, 200);
  assert.equal((await get("/metrics")).status, 401);
  assert.equal((await get("/metrics", { authorization: `Bearer ${token}x` })).status, 401);
  assert.deepEqual(await get("/metrics", { authorization: `Bearer ${token}` }), {
    status: 200,
    body: "a 1\n",
  });
});

test("metrics come as OpenMetrics where they are asked for, as Prometheus does", async (t) => {
  const get = await openPort(t, {}, { page: async (format) => format });
  const accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3";
  assert.equal((await get("/metrics", { accept })).body, "openmetrics");
  assert.equal((await get("/metrics", { accept: "text/html, */*" })).body, "text");
});

test("without a token all of it is for this machine, and not for a web page with a name of its own", async (t) => {
  const get = await openPort(t, {}, {});
  for (const path of ["/metrics", "/live.json"]) {
    for (const host of ["127.0.0.1", "localhost:9464"]) {
      assert.equal((await get(path, { host })).status, 200, `${path} of ${host}`);
    }
    for (const host of ["rebound.example", "127.0.0.1.rebound.example", "localhost.rebound.example:9464"]) {
      assert.equal((await get(path, { host })).status, 401, `${path} of ${host}`);
    }
  }
});

test("there is nothing else, and nothing may be changed", async (t) => {
  const get = await openPort(t, {});
  for (const path of ["/", "/calls", "/settings", "/live/state.ts", "/live/../../package.json"]) {
    assert.equal((await get(path)).status, 404, path);
  }
  for (const path of ["/metrics", "/live", "/live.json"]) {
    assert.equal((await get(path, {}, "POST")).status, 405, path);
  }
});

test("the live page, what it loads and its state need the token, which a browser sends as a password", async (t) => {
  const get = await openPort(t, { OPERATORS_TOKEN: token });
  assert.equal((await get("/live.json")).status, 401);
  const reply = await get("/live.json", { authorization: `Bearer ${token}` });
  const { uptimeMs, version, revision, ...state } = JSON.parse(reply.body) as LiveState;
  assert.ok(uptimeMs > 0);
  assert.match(`${version} ${revision ?? ""}`, /^\d+\.\d+\.\d+ ([0-9a-f]{40})?$/);
  assert.deepEqual(state, { process: "ingress-1", checks: { redis: true }, health, ...livePart });
  const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
  const page = await get("/live", { authorization: basic(`:${token}`) });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.body, new RegExp(token));
  const loaded = Array.from(page.body.matchAll(/(?:href|src)="(.+?)"/g), ([, path]) => path!);
  assert.deepEqual([...new Set(loaded)], ["/live/icon.svg", "/live/style.css"]);
  for (const path of loaded) {
    assert.equal((await get(path)).status, 401);
    assert.equal((await get(path, { authorization: basic(`operator:${token}`) })).status, 200);
  }
  for (const credentials of ["", ":", `:${token}x`, `${token}:`, `a:b:${token}`]) {
    assert.equal((await get("/live", { authorization: basic(credentials) })).status, 401, credentials);
  }
  // Requests of other pages may have the password too: it opens nothing that has an effect.
  for (const path of ["/metrics", "/calls"]) {
    assert.equal((await get(path, { authorization: basic(`:${token}`) })).status, 401, path);
  }
});

test("no request ends the process, whatever it is: each is refused, with and without a token", async () => {
  for (const env of [{}, { OPERATORS_TOKEN: token }]) {
    const port = await freePort();
    const openCalls = () => Readable.from([]);
    await using _operators = await open({ ...env, OPERATORS_PORT: `${port}` }, { openCalls });
    for (const [name, sent] of Object.entries(oddRequests)) {
      const reply = await rawResponse(port, sent);
      assert.match(reply, /^HTTP\/1\.1 4\d\d [\s\S]*\r\ncontent-type: text\/plain/, name);
    }
    assert.match(await rawResponse(port, "GET /livez HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 OK/);
  }
});

test("a client that leaves before its reply, or resets its upgrade, is no fault of the process", async () => {
  const checking = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<Record<string, boolean>>();
  const checks = () => {
    checking.resolve();
    return checked.promise;
  };
  const port = await freePort();
  await using _operators = await open({ OPERATORS_PORT: `${port}` }, { checks });
  const leaving = connect(port, "127.0.0.1").on("error", () => {});
  leaving.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  await checking.promise;
  const left = once(leaving, "close");
  leaving.resetAndDestroy();
  await left;
  checked.resolve({});
  const resetting = connect(port, "127.0.0.1").on("error", () => {});
  resetting.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
  const reset = once(resetting, "close");
  resetting.resetAndDestroy();
  await reset;
  assert.match(await rawResponse(port, "GET /livez HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 OK/);
});

test("calls are streamed to whom the token admits, and to no more readers than the process takes", async (t) => {
  const salts: string[] = [];
  const openCalls = (salt: string) => {
    salts.push(salt);
    return salts.length > 1 ? undefined : Readable.from(["a\n", "b\n"]);
  };
  const get = await openPort(t, { OPERATORS_TOKEN: token }, { openCalls });
  assert.equal((await get("/calls?salt=s")).status, 401);
  const headers = { authorization: `Bearer ${token}` };
  assert.deepEqual(await get("/calls?salt=s", headers), { status: 200, body: "a\nb\n" });
  assert.equal((await get("/calls", headers)).status, 503);
  assert.equal((await get("/calls", headers, "POST")).status, 405);
  assert.deepEqual(salts, ["s", ""]);
});

test("a request with 8 KiB of headers is refused", async (t) => {
  const get = await openPort(t, {});
  assert.equal((await get("/livez", { "x-long": "x".repeat(9_000) })).status, 431);
});

test("a token that is short, cannot be read or is missing on a network ends the start", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-operators-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  writeFileSync(file, `${token}\n`);
  const read = (env: NodeJS.ProcessEnv) => readOperatorsToken(readConfig(OperatorsConfig, env));
  assert.equal(read({}), undefined);
  assert.equal(read({ OPERATORS_TOKEN: token }), token);
  assert.equal(read({ OPERATORS_TOKEN_FILE: file, OPERATORS_HOST: "0.0.0.0" }), token);
  assert.throws(() => read({ OPERATORS_HOST: "0.0.0.0" }), /OPERATORS_TOKEN: others can reach 0\.0\.0\.0/);
  assert.throws(() => read({ OPERATORS_TOKEN: "short" }), /OPERATORS_TOKEN: must be 16/);
  assert.throws(() => read({ OPERATORS_TOKEN_FILE: join(folder, "none") }), /cannot be read \(ENOENT\)/);
});

test("a port that is taken is one sentence, and no port is no server", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  await assert.rejects(
    open({ OPERATORS_PORT: `${port}` }),
    /^Error: OPERATORS_PORT: 127\.0\.0\.1:\d+ cannot/,
  );
  await using _off = await open({});
});

const health = { memoryBytes: 1, delayMs: { p50: 0, p99: 0, max: 0 } };
const livePart: LivePart = {
  subject: "ingress",
  status: { level: "ok", title: "Idle", detail: "" },
  facts: {},
  tables: {},
};
const sources = {
  id: "ingress-1",
  page: async () => "a 1\n",
  checks: () => ({ redis: true }),
  health: () => health,
  live: () => livePart,
};
const log = openLog("test", "silent");

const open = (env: NodeJS.ProcessEnv, parts: Partial<Parameters<typeof openOperatorsPort>[0]> = {}) =>
  openOperatorsPort({ config: readConfig(OperatorsConfig, env), log, ...sources, ...parts });

async function openPort(
  t: TestContext,
  env: NodeJS.ProcessEnv,
  parts: Partial<Parameters<typeof openOperatorsPort>[0]> = {},
) {
  const port = await freePort();
  const operators = await open({ ...env, OPERATORS_PORT: `${port}` }, parts);
  t.after(() => operators[Symbol.asyncDispose]());
  return async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const call = request({ host: "127.0.0.1", port, path, method, headers, agent: false }).end();
    const [reply] = await once(call, "response");
    return { status: reply.statusCode as number, body: await text(reply) };
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
