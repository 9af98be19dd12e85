import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test from "node:test";

const module = (name: string): string => JSON.stringify(join(import.meta.dirname, name));

// A service whose last span waits when it is drained.
const service = `
  import { runService, ServiceConfig } from ${module("service.ts")};
  import { openTracing } from ${module("tracing/open-tracing.ts")};
  await runService("test", ServiceConfig, async ({ config, id, log }) => {
    await using tracing = await openTracing({ config, service: "test", id, log });
    tracing.start("last", { startAt: Date.now() }).end();
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
    LOG_LEVEL: "error",
  };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", service], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
    // Only ends a test that fails.
    timeout: 600_000,
    killSignal: "SIGKILL",
  });
  const ended = once(child, "exit");
  t.after(() => receiver.close());
  const [socket] = await connected;
  t.after(() => socket.destroy());
  assert.deepEqual(await ended, [0, null]);
});

// Its first `failures` starts fail.
const failingService = (failures: number, fault: string, options = "{}"): string => `
  import { ServerUnreachable } from ${module("connect-fault.ts")};
  import { runService, ServiceConfig } from ${module("service.ts")};
  let starts = 0;
  await runService("test", ServiceConfig, async () => {
    starts += 1;
    if (starts <= ${failures}) throw new ${fault}("SOME_URL: no server there");
    console.log("started at try " + starts);
  }, ${options});
`;

async function runToEnd(code: string, settings: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 600_000,
    killSignal: "SIGKILL",
  });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { lines: output.trim().split("\n"), errors, exitCode };
}

test("a service whose servers do not answer yet starts when they do, and logs its waiting once", async () => {
  const { lines, errors, exitCode } = await runToEnd(failingService(2, "ServerUnreachable"), {});
  assert.deepEqual([lines.length, lines[2], errors, exitCode], [3, "started at try 3", "", 0]);
  const [first, second] = lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : {}));
  assert.match(first.version, /^\d+\.\d+\.\d+/, "the first line says what runs");
  assert.equal(second.reason, "SOME_URL: no server there");
});

test("it ends with the sentence when `connectWithinMs` have passed", async () => {
  const service = failingService(1, "ServerUnreachable", "{ connectWithinMs: 0 }");
  const { errors, exitCode } = await runToEnd(service, {});
  assert.deepEqual([errors, exitCode], ["SOME_URL: no server there\n", 1]);
});

test("a server that refuses the service is not tried again", async () => {
  const { lines, errors, exitCode } = await runToEnd(failingService(1, "Error"), { LOG_LEVEL: "error" });
  assert.deepEqual([lines, errors, exitCode], [[""], "SOME_URL: no server there\n", 1]);
});

test("a stop while it waits for its servers ends it, and it does not start once more", async () => {
  const service = failingService(10, "ServerUnreachable").replace(
    "starts += 1;",
    "console.log(`start ${++starts}`); process.kill(process.pid, 'SIGTERM');",
  );
  const { lines, errors, exitCode } = await runToEnd(service, { LOG_LEVEL: "error" });
  assert.deepEqual([lines, errors, exitCode], [["start 1"], "SOME_URL: no server there\n", 1]);
});
