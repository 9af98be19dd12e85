import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { generatorName, measureLoop, openGenerator } from "./generator.ts";

test("the generator runs a load in another process, reports both instants, and fails when it is stopped", async (t) => {
  const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const stop = new AbortController();
  await using generator = await openGenerator(stop.signal);
  assert.notEqual(generator.pid, process.pid);
  const target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    bodies: ["{}"],
  };
  const plan = { target, inFlight: 2, warmUp: { calls: 2 }, giveUpMs: 30_000 };
  const instants: string[] = [];
  const { calls } = await generator.closedLoop(
    { ...plan, counted: { calls: 5 } },
    { warm: () => instants.push("warm"), over: () => instants.push("over") },
  );
  assert.deepEqual(instants, ["warm", "over"]);
  assert.deepEqual(
    calls.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );

  const { calls: measured, cpu } = await measureLoop(generator, { ...plan, counted: { calls: 3 } }, {});
  assert.equal(measured.length, 3);
  assert.equal(cpu === null, process.platform !== "linux");
  if (cpu !== null) assert.ok(cpu[generatorName]! >= 0);

  const endless = generator.closedLoop({ ...plan, counted: { forMs: 1e9 } }, { warm: () => stop.abort() });
  await assert.rejects(endless, /the load generator ended/);
});
