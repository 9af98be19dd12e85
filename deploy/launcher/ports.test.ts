import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { checkPorts, freePorts } from "./ports.ts";

const host = "127.0.0.1";

test("a port in use is a sentence that names the setting", async (t) => {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };

  await assert.rejects(checkPorts([{ setting: "KAFKA_PORT", host, port }]), {
    message: `Port ${port} is taken: stop what listens there, or set KAFKA_PORT to a free one.`,
  });
});

test("two settings with the same port are rejected", async () => {
  const [port = 0] = await freePorts(1);
  const ports = ["KAFKA_PORT", "PORT"].map((setting) => ({ setting, host, port }));
  await assert.rejects(checkPorts(ports), { message: `PORT and KAFKA_PORT are both ${port}.` });
});

test("free ports are free, and different", async () => {
  const ports = await freePorts(5);
  assert.equal(new Set(ports).size, 5);
  await checkPorts(ports.map((port) => ({ setting: "PORT", host, port })));
});
