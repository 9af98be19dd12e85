import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import test from "node:test";
import { setEnvironment } from "../../testing/environment.ts";
import { bestEffortFailures } from "../best-effort.ts";
import { readConfig } from "../config.ts";
import { type Log, writtenLines } from "../log.ts";
import { OtlpConfig } from "../otlp-config.ts";
import { openLogDelivery } from "./sdk.ts";

// Protobuf and gRPC: tools/e2e/log-ids.stack.test.ts, otlp-protocols.stack.test.ts.

const service = `
  import { runService, ServiceConfig } from ${JSON.stringify(join(import.meta.dirname, "../service.ts"))};
  await runService("test", ServiceConfig, async ({ log }) => {
    log.info("first");
    for (let i = 0; i < 3; i++) log.error({ reason: "away", request_id: "r" + i }, "a task failed");
  });
`;

async function runWith(settings: NodeJS.ProcessEnv): Promise<Line[]> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", service], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
    // Only ends a test that fails.
    timeout: 600_000,
  });
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(exitCode, 0);
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

test("every line is sent as it is written, also the last ones of the process", async (t) => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(request.url!, ...recordsOf(body as Body));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const lines = await runWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_LOGS_EXPORTER: "otlp",
  });
  const expected = lines.map(({ level, msg }) => `faceline-test ${level} ${msg}`);
  assert.deepEqual(received.toSorted(), ["/v1/logs", ...expected].toSorted());
  assert.ok(expected.includes("faceline-test error a task failed (repeated)"));
});

test("lines that no receiver takes are counted, with one warning", async (t) => {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "200",
    OTEL_LOGS_EXPORTER: "otlp",
  };
  setEnvironment(t, settings);
  const warnings: string[] = [];
  const log = {
    warn: (_fields: unknown, sentence: string) => void warnings.push(sentence),
  } as unknown as Log;
  {
    const config = readConfig(OtlpConfig, settings);
    await using _delivery = await openLogDelivery({ config, service: "test", id: "test-1", log });
    const line = { level: "info", time: new Date().toISOString(), service: "faceline-test", msg: "a line" };
    for (let i = 0; i < 3; i++) writtenLines.publish(JSON.stringify(line));
  }
  assert.equal(bestEffortFailures().get("log_delivery"), 3);
  assert.deepEqual(warnings, ["log lines are not delivered"]);
});

const recordsOf = ({ resourceLogs }: Body): string[] =>
  resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ severityText, body }) => {
        const name = resource.attributes.find(({ key }) => key === "service.name")!;
        return `${name.value.stringValue} ${severityText} ${body.stringValue}`;
      }),
    ),
  );

type Line = { level: string; msg: string };
type Text = { stringValue: string };
type Body = {
  resourceLogs: {
    resource: { attributes: { key: string; value: Text }[] };
    scopeLogs: { logRecords: { severityText: string; body: Text }[] }[];
  }[];
};
