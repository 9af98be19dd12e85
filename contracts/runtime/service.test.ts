import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import test from "node:test";

const module = (name: string): string => JSON.stringify(join(import.meta.dirname, name));

// A service whose last span waits when it is drained.
const service = `
  import * as z from "zod";
  import { newSpanId, newTraceId } from ${module("random.ts")};
  import { runService } from ${module("service.ts")};
  import { TracingConfig } from ${module("tracing/config.ts")};
  import { openTracing } from ${module("tracing/tracing.ts")};
  const schema = z.object({ ...TracingConfig.shape, LOG_LEVEL: z.string().default("silent") });
  await runService("test", schema, async ({ config, id, log }) => {
    await using tracing = await openTracing({ config, service: "test", id, log });
    const context = { traceId: newTraceId(), spanId: newSpanId(), sampled: true };
    const at = { startAt: Date.now(), endAt: Date.now() };
    tracing.export([{ name: "last", kind: "internal", context, parentId: undefined, attributes: {}, ...at }]);
  });
`;

test("a process ends when it is drained, although a receiver of spans never replies", async (t) => {
  const receiver = createServer();
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const connected = once(receiver, "connection");
  const { port } = receiver.address() as AddressInfo;
  const env = {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "3600000",
  };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", service], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
    // Only ends a test that fails.
    timeout: 30_000,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "exit");
  t.after(() => receiver.close());
  const [socket] = await connected;
  t.after(() => socket.destroy());
  assert.deepEqual(await ended, [0, null]);
});
