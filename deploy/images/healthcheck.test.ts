import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test from "node:test";

test("a process that is ready is healthy", async () => {
  assert.deepEqual(await check(200, "ok\n"), { code: 0, text: "ok\n" });
});

test("a process that is not ready is unhealthy, and the check says what is missing", async () => {
  assert.deepEqual(await check(503, "not ready: kafka\n"), { code: 1, text: "not ready: kafka\n" });
});

test("a process whose port is closed is unhealthy", async () => {
  const { code, text } = await run({ OPERATORS_PORT: "1" });
  assert.equal(code, 1);
  assert.match(text, /the operators' port does not answer: .*ECONNREFUSED/);
});

/** Runs the check against a server that answers so on all interfaces, as in a container. */
async function check(status: number, text: string): Promise<Result> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === "/readyz" ? status : 404).end(text);
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const proxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:1" };
    return await run({ OPERATORS_HOST: "0.0.0.0", OPERATORS_PORT: `${port}`, ...proxy });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function run(env: NodeJS.ProcessEnv): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const child = execFile(
    process.execPath,
    [join(import.meta.dirname, "healthcheck.ts")],
    { env },
    (_, text) => resolve({ code: child.exitCode, text }),
  );
  return promise;
}

type Result = { code: number | null; text: string };
