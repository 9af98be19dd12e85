// Covers ./tester-routes.ts and ./tester.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import type { InjectOptions } from "fastify";
import { base64Image, testKey, testServer } from "../testing/server.ts";
import { ApiError } from "./call/api-error.ts";
import type { Ports } from "./call/ports.ts";

const image = await base64Image();
const vectors = { model_name: "SFace", img1: [1, 0], img2: [1, 0] };
const pair = { img1: image, img2: image };
const fromPage = { "sec-fetch-site": "same-origin" };
const MiB = 1024 * 1024;

test("the compute endpoints run without a key for the tester page, with the headers of the public ones", async (t) => {
  const { app, dispatched } = testServer(t);
  const bodies = { verify: pair, represent: { img: image }, compare: { img: image, candidates: [image] } };
  for (const [name, body] of Object.entries(bodies)) {
    const response = await app.inject(call({ url: `/tester/${name}`, body }));
    assert.equal(response.statusCode, 200, response.body);
    const publicResponse = await app.inject(
      call({ url: `/${name}`, body, headers: { "x-api-key": testKey } }),
    );
    assert.deepEqual(Object.keys(response.json()), Object.keys(publicResponse.json()));
    assert.deepEqual(Object.keys(response.headers), Object.keys(publicResponse.headers));
    assert.match(String(response.headers["server-timing"]), /admission;dur=/);
  }
  const [visitor, team] = [visitorsTenant, "ants"];
  const callers = dispatched.map(({ tenant }) => tenant);
  assert.deepEqual(callers, [visitor, team, visitor, team, visitor, team]);
});

test("only pages of this service may call, and programs read where to call instead", async (t) => {
  const { app } = testServer(t, { settings: { PUBLIC_URL: "https://faces.example/" } });
  const foreign = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: "https://faces.example" },
    { "sec-fetch-site": "same-origin, cross-site" },
    { origin: "https://faces.example.evil.example" },
    { origin: "http://faces.example" },
    { origin: "null" },
    { origin: "" },
    {},
  ];
  for (const headers of foreign) {
    const response = await app.inject(call({ headers }));
    assert.deepEqual(
      [response.statusCode, response.json().error],
      [400, "invalid_request"],
      JSON.stringify(headers),
    );
    assert.match(response.json().detail, /all \/verify with an API key\.$/);
  }
  const own = [
    fromPage,
    { origin: "https://faces.example" },
    { origin: "http://here.example:81", host: "here.example:81" },
  ];
  for (const headers of own) {
    assert.equal((await app.inject(call({ headers }))).statusCode, 200, JSON.stringify(headers));
  }
});

test("a PUBLIC_URL that is no web address lets no page without an origin in", async (t) => {
  const { app } = testServer(t, { settings: { PUBLIC_URL: "faces.example:81" } });
  assert.equal((await app.inject(call({ headers: { origin: "null" } }))).statusCode, 400);
});

test("a refused call reads nothing of its body and takes no slot", async (t) => {
  const acquireVisitorSlot = () => Promise.reject(new Error("counted"));
  const { app } = testServer(t, { acquireVisitorSlot });
  const response = await app.inject(call({ headers: {}, body: "{broken" }));
  assert.equal(response.json().error, "invalid_request");
});

test("the tester accepts only JSON", async (t) => {
  const { app } = testServer(t);
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "text/plain"]) {
    const response = await app.inject(call({ headers: { ...fromPage, "content-type": type }, body: "{}" }));
    assert.deepEqual([response.statusCode, response.json().error], [415, "unsupported_media_type"], type);
    assert.match(response.json().detail, /only application\/json/);
  }
});

test("a visitor over the limits gets rate_limited with Retry-After and the RateLimit headers", async (t) => {
  const error = new ApiError("rate_limited", "Too many.", { retryAfterMs: 1_001 });
  const rate = { limit: 20, remaining: 0, resetMs: 40_000 };
  const { app } = testServer(t, { acquireVisitorSlot: async () => ({ rate, error, release() {} }) });
  const response = await app.inject(call());
  assert.deepEqual([response.statusCode, response.json().error], [429, "rate_limited"]);
  const names = ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
  assert.deepEqual(
    names.map((name) => Number(response.headers[name])),
    [2, 20, 0, 40],
  );
});

test("a visitor is the address of the connection, whatever X-Forwarded-For says", async (t) => {
  const { app, addresses } = serverWithAddresses(t);
  const forged = { ...fromPage, "x-forwarded-for": "192.0.2.9", forwarded: "for=192.0.2.9" };
  await app.inject(call({ headers: forged, remoteAddress: "198.51.100.1" }));
  assert.deepEqual(addresses, ["198.51.100.1"]);
});

test("behind a trusted proxy a visitor is the last address that no trusted proxy has", async (t) => {
  const { app, addresses } = serverWithAddresses(t, { TRUSTED_PROXIES: "10.0.0.0/8, 198.51.100.7" });
  const send = (remoteAddress: string, forwardedFor: string) =>
    app.inject(call({ headers: { ...fromPage, "x-forwarded-for": forwardedFor }, remoteAddress }));
  await send("10.1.2.3", "203.0.113.5");
  // The client made up the first one.
  await send("10.1.2.3", "192.0.2.9, 203.0.113.5");
  await send("10.1.2.3", "192.0.2.9, 203.0.113.5, 198.51.100.7");
  await send("203.0.113.6", "192.0.2.9");
  // A proxy that writes no address: its visitors share one limit.
  await send("10.1.2.3", "unknown");
  await send("10.1.2.3", "203.0.113.5:61234");
  assert.deepEqual(addresses, [
    "203.0.113.5",
    "203.0.113.5",
    "203.0.113.5",
    "203.0.113.6",
    "10.1.2.3",
    "10.1.2.3",
  ]);
});

test("what a call may hold is less than with a key", async (t) => {
  const { app, post } = testServer(t);
  const large = await base64Image(2_001, "png");
  const refused = async (url: string, body: object, status: number, error: string) => {
    const response = await app.inject(call({ url: `/tester${url}`, body }));
    assert.deepEqual([response.statusCode, response.json().error], [status, error]);
    assert.equal((await post(url, body)).statusCode, 200);
  };
  await refused("/verify", { ...pair, img2: large }, 413, "image_too_large");
  await refused(
    "/compare",
    { vector: [1, 0], candidates: Array.from({ length: 9 }, () => [1, 0]) },
    400,
    "too_many_candidates",
  );
  await refused("/verify", { ...vectors, padding: "a".repeat(8 * MiB) }, 413, "request_too_large");
});

test("the bytes of an image are limited", async (t) => {
  const { app } = testServer(t);
  const bytes = Buffer.concat([Buffer.from(image, "base64"), Buffer.alloc(2 * MiB)]);
  const body = { ...pair, img2: bytes.toString("base64") };
  assert.equal((await app.inject(call({ body }))).json().error, "image_too_large");
});

test("of a limit of the tester and that of all calls the lower one applies", async (t) => {
  const { app } = testServer(t, {
    settings: { IMAGE_BYTES_MAX: "100", DEADLINE_MAX_MS: "9000", DEADLINE_DEFAULT_MS: "9000" },
  });
  assert.equal((await app.inject(call({ body: pair }))).json().error, "image_too_large");
  const late = await app.inject(call({ headers: { ...fromPage, "x-request-timeout-ms": "9001" } }));
  assert.match(late.json().detail, /from 50 to 9000/);
});

test("a call has 15 s, and may ask for less", async (t) => {
  const { app, dispatched } = testServer(t);
  await app.inject(call({ body: pair }));
  await app.inject(call({ body: pair, headers: { ...fromPage, "x-request-timeout-ms": "4000" } }));
  assert.deepEqual(
    dispatched.map(({ deadlineAt, arrivedAt }) => deadlineAt - arrivedAt),
    [15_000, 4_000],
  );
  const longer = await app.inject(call({ headers: { ...fromPage, "x-request-timeout-ms": "15001" } }));
  assert.equal(longer.json().error, "invalid_request");
});

test("TESTER=off: every path of the tester says that the operator has turned it off", async (t) => {
  const { app } = testServer(t, { settings: { TESTER: "off" } });
  for (const request of [call(), { url: "/tester/sample-answer" }, { url: "/tester/anything" }]) {
    const response = await app.inject(request);
    assert.deepEqual([response.statusCode, response.json().error], [404, "not_found"]);
    assert.match(response.json().detail, /The operator of this service has turned the tester off\./);
  }
  assert.equal((await app.inject("/capabilities")).json().features.tester, false);
  for (const guide of ["/docs/limits", "/docs/privacy"]) {
    assert.doesNotMatch((await app.inject(guide)).body, /from one address|holds of a visitor/);
  }
});

test("PAGES=off: there is no tester either", async (t) => {
  const { app } = testServer(t, { settings: { PAGES: "off", TESTER: "on" } });
  assert.equal((await app.inject(call())).statusCode, 404);
  assert.equal((await app.inject("/capabilities")).json().features.tester, false);
});

test("the tester is on by default, as /capabilities and the guides say", async (t) => {
  const { app } = testServer(t);
  assert.match(
    (await app.inject("/docs/limits")).body,
    /Requests per minute from one address<\/th><td [^>]*><div>30</,
  );
  assert.match((await app.inject("/docs/privacy")).body, /in memory for at most 40 s after the last request/);
  assert.equal((await app.inject("/capabilities")).json().features.tester, true);
});

function call(options: InjectOptions & { body?: object | string } = {}): InjectOptions {
  const { headers = fromPage, body = vectors, ...rest } = options;
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method: "POST",
    url: "/tester/verify",
    payload,
    headers: { "content-type": "application/json", ...headers },
    ...rest,
  };
}

function serverWithAddresses(t: TestContext, settings = {}) {
  const addresses: string[] = [];
  const acquireVisitorSlot: Ports["acquireVisitorSlot"] = async (address) => {
    addresses.push(address);
    return { release() {} };
  };
  return { ...testServer(t, { settings, acquireVisitorSlot }), addresses };
}
