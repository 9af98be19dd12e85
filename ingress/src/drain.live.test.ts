// Covers deploy/compose/haproxy.cfg with drain.ts: two servers behind a real HAProxy, stopped in turn.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  isRedundant,
  startHaproxy,
  waitUntilRedundant,
  withoutHaproxy,
} from "@faceline/runtime/testing/haproxy";
import { base64Image, facesAnswer, testKey, testServer, waitUntil } from "../testing/server.ts";
import { drain } from "./drain.ts";

/** For calls that the proxy has sent when it notices. */
const noticeMs = 3_000;
const callers = 8;
const callsBetween = 100;
const runMs = 20;

test("two ingresses are restarted in turn behind HAProxy, and no call of kept connections fails", {
  skip: withoutHaproxy,
}, async (t) => {
  const image = await base64Image();
  const [proxyPort, ...ports] = await freePorts(3);
  const notices = () => waitUntil("the proxy has noticed", async () => !(await isRedundant(proxyPort!)));
  const open = (port: number) => startIngress(t, port, notices);
  const ingresses = await Promise.all(ports.map(open));
  const proxy = await startHaproxy(proxyPort!, ports);
  t.after(() => proxy[Symbol.asyncDispose]());

  const statuses: Record<string, number> = {};
  const body = JSON.stringify({ img1: image, img2: image });
  const state = { isOver: false, ended: 0 };
  const call = async (agent: Agent): Promise<void> => {
    while (!state.isOver) {
      const status = await post(proxyPort!, agent, body);
      statuses[status] = (statuses[status] ?? 0) + 1;
      state.ended++;
    }
  };
  const moreCalls = (): Promise<void> => {
    const until = state.ended + callsBetween;
    return waitUntil("calls go on", async () => state.ended >= until);
  };
  const agents = Array.from({ length: callers }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const load = Promise.all(agents.map(call));
  for (const [index, ingress] of ingresses.entries()) {
    await moreCalls();
    await ingress.stop();
    // As long as a process takes to start again, the other one serves alone.
    await moreCalls();
    await open(ports[index]!);
    await waitUntilRedundant(proxyPort!);
  }
  state.isOver = true;
  await load;
  for (const agent of agents) agent.destroy();
  t.diagnostic(JSON.stringify(statuses));
  assert.deepEqual(Object.keys(statuses), ["200"]);
});

test("behind HAProxy one address may have a tenth of what is free, so forms without a body keep nobody out", {
  skip: withoutHaproxy,
}, async (t) => {
  const [proxyPort, ...ports] = await freePorts(3);
  for (const port of ports) await startIngress(t, port);
  const proxy = await startHaproxy(proxyPort!, ports);
  t.after(() => proxy[Symbol.asyncDispose]());
  const [addresses, each] = [20, 200];
  let [opened, answered] = [0, 0];
  const open = (localAddress: string) => {
    const socket = connect({ port: proxyPort!, host: "127.0.0.1", localAddress }).on("error", () => {});
    t.after(() => socket.destroy());
    return socket;
  };
  const form = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 10\r\nx-api-key: x";
  for (let n = 0; n < addresses * each; n++) {
    const socket = open(`127.0.1.${1 + (n % addresses)}`).resume();
    const isOpen = Promise.race([once(socket, "connect"), once(socket, "close")]);
    void isOpen.finally(() => opened++).catch(() => {});
    socket.once("data", () => answered++).write(`POST /waitlist HTTP/1.1\r\nhost: a\r\n${form}\r\n\r\n`);
  }
  await waitUntil("all have come", async () => opened === addresses * each);
  const other = open("127.0.0.3");
  other.write("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n");
  assert.match(String((await once(other, "data"))[0]), /^HTTP\/1.1 200 /);
  // Nor has any of them reached an ingress, or gone.
  assert.equal(answered, 0);
});

/** An ingress whose calls take `runMs`, and which stops as the service does, once the proxy `notices`. */
async function startIngress(t: Parameters<typeof testServer>[0], port: number, notices = async () => {}) {
  let phase: "serving" | "notice" | "draining" = "serving";
  const refuse = new AbortController();
  const { app } = testServer(t, {
    dispatch: async ({ images }) => {
      await sleep(runMs);
      return images.map(() => facesAnswer([1, 0]));
    },
    isServing: () => phase !== "draining",
    isStopping: () => phase !== "serving",
    drainTimeout: refuse.signal,
  });
  await app.listen({ host: "127.0.0.1", port });
  const stop = async () => {
    phase = "notice";
    await notices();
    await drain(app, {
      noticeMs,
      withinMs: 35_000,
      stopServing: () => {
        phase = "draining";
      },
      refuseCalls: () => refuse.abort(),
    });
  };
  return { stop };
}

function post(port: number, agent: Agent, body: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const headers = { "x-api-key": testKey, "content-type": "application/json", "content-length": body.length };
  const call = request({ port, agent, method: "POST", path: "/verify", headers });
  call.on("error", ({ message }) => resolve(message));
  call.on("response", (response) => {
    response.resume();
    response.on("end", () => resolve(`${response.statusCode}`));
  });
  call.end(body);
  return promise;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
