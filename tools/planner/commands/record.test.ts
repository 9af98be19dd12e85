// Covers ../recording/follow-calls.ts and ../trace/trace-writer.ts too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { readTrace } from "../trace/trace-file.ts";
import { record } from "./record.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "record-"));
after(() => rmSync(stateFolder, { recursive: true }));
let files = 0;

test("the calls of all ingresses become one trace, with numbers for tenants and nothing else of them", async (t) => {
  const [first, second] = [call(1_000_020, 555), call(1_000_000, 777, "Dlib/tiny")];
  const ports = [await ingress(t, [first, '{"dropped":3}']), await ingress(t, ["", second])];
  const { out, code, text } = await run("--operators", ports.join(","), "--seconds", "1");
  assert.equal(code, 0);
  assert.match(
    text,
    /^Recording from 2 ingresses for 1 s\. .*\n2 requests were written.*\n3 requests are missing/,
  );
  const trace = await readTrace(out);
  assert.deepEqual(trace.columns.lanes, ["Dlib/tiny", "Dlib/ssd"]);
  assert.deepEqual([...trace.columns.tenant], [0, 1]);
  assert.deepEqual([...trace.columns.atMs], [0, 20]);
  assert.deepEqual(trace.pictureOf(1, 0), { bytes: 40_000, pixels: 300_000 });
  assert.doesNotMatch(readFileSync(out, "utf8"), /555|777/);
});

test("the first line has what the ingresses measured, and the settings of the active batcher", async (t) => {
  const calls = Array.from({ length: 40 }, (_, index) => ({
    ...JSON.parse(call(1_000_000 + index, 1)),
    tookMs: 100 + index,
    serviceMs: 10,
  }));
  const lanes = [{ lane: "Dlib/ssd", digest: "0", sizes: [1, 2, 4] }];
  const inForce = { batchMax: null, utilisationTarget: 0.7, laneWaitingMax: 10 };
  const pool = { batcher: "b", pool: "default", role: "active", revision: 0, workers: 3, lanes, changes: [] };
  const settings = { ...pool, settings: inForce, started: inForce };
  const ports = [
    await ingress(
      t,
      calls.map((each) => JSON.stringify(each)),
    ),
    await ingress(t, [], undefined, { settings }),
  ];
  const { out } = await run("--operators", ports.join(","), "--seconds", "1");
  const { p50Ms, p99Ms, serviceMs, settings: written } = (await readTrace(out)).columns.measured!;
  assert.ok(Math.abs(p50Ms - 120) < 1 && Math.abs(p99Ms - 139) < 1, `${p50Ms} ${p99Ms}`);
  assert.ok(serviceMs.every((ms) => Math.abs(ms - 10) < 0.1));
  assert.deepEqual(written, { workers: 3, batchMax: 4, utilisationTarget: 0.7 });
});

test("an ingress that stops ends the recording with a sentence, and the calls until then are a trace", async (t) => {
  const port = await ingress(t, [call(1_000_000, 1)], (response) => response.end());
  const out = nextFile();
  await assert.rejects(run("--operators", port, "--out", out), /ended: did the ingress stop\?/);
  assert.equal((await readTrace(out)).calls, 1);
});

test("an access log becomes a trace, in order although its lines are not", async () => {
  const log = join(stateFolder, "access.log");
  const line = (second: string) =>
    `10.0.0.1 - - [23/Nov/2026:13:55:${second} +0000] "POST /verify HTTP/1.1" 200 5`;
  writeFileSync(log, [line("09"), line("05"), "noise", line("07")].join("\n"));
  const { out, text } = await run("--from", log, "--lane", "Dlib/tiny", "--deadline", "900");
  assert.match(text, /3 requests were written/);
  const { calls, durationMs, pictures, columns } = await readTrace(out);
  assert.deepEqual([calls, pictures, columns.lanes[0], columns.timeBudgetMs[0]], [3, 6, "Dlib/tiny", 900]);
  assert.ok(durationMs > 3_000 && durationMs < 5_000);
});

test("the log of an ingress is refused, and no trace is begun", async () => {
  const log = join(stateFolder, "ingress.log");
  // As an ingress writes it at LOG_LEVEL=debug.
  const line =
    '{"level":"debug","time":"2026-11-23T10:21:07.113Z","service":"faceline-ingress","version":"0.1.0",' +
    '"ingressId":"ingress-0123456789abcdef","request_id":"r1","route":"/verify","lane":"Dlib/ssd",' +
    '"pool":"default","status":200,"ms":{"total":48.12},"msg":"answered"}';
  writeFileSync(log, `Ready.\n${line}\n`);
  const out = nextFile();
  await assert.rejects(run("--from", log, "--out", out), /is the log of a Faceline service.*--operators/);
  assert.ok(!existsSync(out));
});

test("a trace ends at its size, and says so", async () => {
  const log = join(stateFolder, "long.log");
  const line = '10.0.0.1 - - [23/Nov/2026:13:55:09 +0000] "POST /verify HTTP/1.1" 200 5\n';
  writeFileSync(log, line.repeat(100));
  const { out, text } = await run("--from", log, "--bytes-max", "6000");
  assert.match(text, /The trace is full/);
  assert.ok(readFileSync(out).length <= 6_000);
  assert.ok((await readTrace(out)).calls > 10);
});

test("a trace is not written over, and one without calls is not written", async () => {
  const log = join(stateFolder, "empty.log");
  writeFileSync(log, "");
  const { out, code, text } = await run("--from", log);
  assert.equal(code, 2);
  assert.match(text, /None of the 0 lines of .*empty\.log is a POST of .*option httplog clf/);
  assert.ok(!existsSync(out));
  writeFileSync(out, "");
  await assert.rejects(run("--from", log, "--out", out), /is there already; give another name by --out/);
});

test("a port that refuses is a sentence, and so is a command beside no running service", async (t) => {
  const out = nextFile();
  const token = join(stateFolder, "token");
  writeFileSync(token, "0123456789abcdef");
  for (const [status, args, message] of [
    [401, [], /needs the operators' token: --token-file FILE\.$/],
    [401, ["--token-file", token], /refuses this token\.$/],
    [404, [], /is not the operators' port of an ingress\.$/],
    [503, [], /\/calls answered 503/],
  ] as const) {
    const port = await ingress(t, [], undefined, { status });
    await assert.rejects(run("--operators", port, "--out", out, ...args), message);
    assert.ok(!existsSync(out), "a failed recording leaves no trace behind");
  }
  const closed = "http://127.0.0.1:1";
  await assert.rejects(
    run("--operators", closed, "--out", out),
    /cannot be reached \(ECONNREFUSED\)|\(the conn/,
  );
  await assert.rejects(run(), /No Faceline was started from .* npm start/);
});

const call = (at: number, tenant: number, lane = "Dlib/ssd"): string =>
  JSON.stringify({ at, tenant, lane, deadlineMs: 2_000, pictures: [[40_000, 300_000]], outcome: "answered" });

/** An operators' port that streams these lines, and stays open unless `then` ends it. */
async function ingress(
  t: TestContext,
  lines: string[],
  then: (response: ServerResponse) => void = () => {},
  { status = 200, settings }: { status?: number; settings?: object } = {},
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/settings") {
      response.writeHead(settings === undefined ? 404 : 200).end(JSON.stringify(settings));
      return;
    }
    assert.match(request.url!, /^\/calls\?salt=[0-9a-f]{32}$/);
    response.writeHead(status).write(lines.map((line) => `${line}\n`).join(""));
    if (status === 200) then(response);
    else response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const nextFile = (): string => join(stateFolder, `trace-${files++}.jsonl`);

async function run(...args: string[]): Promise<{ code: number; text: string; out: string }> {
  const printed: string[] = [];
  const out = nextFile();
  const context = { stateFolder, print: (line: string) => printed.push(line), progress: () => {} };
  const code = await record(args.includes("--out") ? args : [...args, "--out", out], context);
  return { code, text: printed.join("\n"), out };
}
