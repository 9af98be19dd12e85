// Covers ./tester-routes.ts: what visitors can take from each other, and from teams.
import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import { base64Image, facesAnswer, testServer, waitUntil } from "../testing/server.ts";

const image = await base64Image();
const pair = { img1: image, img2: image };

test("a body that stops holds its slot until the deadline, and none that all visitors share", async (t) => {
  const released = Promise.withResolvers<void>();
  const { app } = testServer(t, {
    acquireVisitorSlot: async () => ({ release: released.resolve }),
    acquireSharedVisitorSlot: () => assert.fail("its body has not come"),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const visitor = connect((app.server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  const head = "host: a\r\nsec-fetch-site: same-origin\r\nx-request-timeout-ms: 50\r\ncontent-length: 1000";
  visitor.write(`POST /tester/verify HTTP/1.1\r\n${head}\r\ncontent-type: application/json\r\n\r\n{"img1`);
  const answer = (await visitor.toArray()).join("");
  await released.promise;
  assert.match(answer, /^HTTP\/1.1 400 .*connection: close.*The request did not arrive in time\./s);
});

test("a visitor who does not read takes no slot that all visitors share", async (t) => {
  let [requests, taken, shared] = [0, 0, 0];
  const { app } = testServer(t, {
    acquireSharedVisitorSlot: async () => {
      taken++;
      shared++;
      return { release: () => void shared-- };
    },
  });
  app.server.on("request", () => requests++);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const deaf = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  t.after(() => deaf.destroy());
  const body = JSON.stringify(pair);
  const head = "host: a\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json";
  deaf.write("GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(8));
  deaf.write(`POST /tester/verify HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await waitUntil("all have come", async () => requests === 9);
  assert.equal(taken, 0);
  deaf.resume();
  await waitUntil("the answer is ready", async () => taken === 1 && shared === 0);
});

test("a call whose body has come is not cut off at the deadline: its answer ends it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { app } = testServer(t, {
    dispatch: async ({ images }) => {
      t.mock.timers.tick(120_000);
      await new Promise(setImmediate);
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  const { url, payload, method, headers } = visitorCall(pair);
  const init = { method, headers: { ...headers, "x-request-timeout-ms": "500" }, body: payload };
  assert.equal((await fetch(`${address}${url}`, init)).status, 200);
});

test("visitors who fill their share of the bodies' memory take nothing from a team", async (t) => {
  const held = Promise.withResolvers<void>();
  const { app, post, dispatched } = testServer(t, {
    settings: { BODY_BYTES_MAX: "100000", BODIES_IN_FLIGHT_BYTES_MAX: "400000" },
    dispatch: async ({ images, tenant }) => {
      if (tenant === visitorsTenant) await held.promise;
      return images.map(() => facesAnswer([1, 0]));
    },
  });
  const body = { ...pair, padding: "a".repeat(60_000) };
  const flood = Array.from({ length: 20 }, () => app.inject(visitorCall(body)));
  const first = await Promise.race(flood);
  assert.deepEqual([first.statusCode, first.json().error], [503, "queue_full"]);
  assert.equal((await post("/verify", body)).statusCode, 200);
  held.resolve();
  const responses = await Promise.all(flood);
  const served = responses.filter(({ statusCode }) => statusCode === 200).length;
  assert.ok(served > 0 && served < 6, `${served} visitors had room`);
  assert.equal(dispatched.filter(({ tenant }) => tenant !== visitorsTenant).length, 1);
});

const visitorCall = (body: object) => ({
  method: "POST" as const,
  url: "/tester/verify",
  headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
  payload: JSON.stringify(body),
});
