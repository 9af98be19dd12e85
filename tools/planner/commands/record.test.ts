// Covers ../recording/follow-calls.ts and ../trace/trace-writer.ts too.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { batcherState } from "../testing/fixtures.ts";
import { readTrace } from "../trace/trace-file.ts";
import { record } from "./record.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "record-"));
after(() => rmSync(stateFolder, { recursive: true }));
let files = 0;

test("the calls of all ingresses become one trace, with numbers for tenants and nothing else of them", async (t) => {
  const [first, second] = [call(1_000_020, 555), call(1_000_000, 777, "Dlib/blazeface")];
  const ports = [await ingress(t, [first, '{"dropped":3}']), await ingress(t, ["", second])];
  const { out, code, text } = await run("--operators", ports.join(","), "--seconds", "1");
  assert.equal(code, 0);
  assert.match(
    text,
    /^Recording from 2 ingresses for 1 s\. .*\n2 requests were written.*\n3 requests are missing/,
  );
  const trace = await readTrace(out);
  assert.deepEqual(trace.columns.lanes, ["Dlib/blazeface", "Dlib/ssd"]);
  assert.deepEqual([...trace.columns.tenant], [0, 1]);
  assert.deepEqual([...trace.columns.atMs], [0, 20]);
  assert.deepEqual(trace.imageOf(1, 0), { bytes: 40_000, pixels: 300_000 });
  assert.doesNotMatch(readFileSync(out, "utf8"), /555|777/);
});

test("the first line has what the ingresses measured, and the settings of the active batcher", async (t) => {
  const calls = Array.from({ length: 40 }, (_, index) => ({
    ...JSON.parse(call(1_000_000 + index, 1)),
    tookMs: 100 + index,
    serviceMs: 10,
  }));
  const live = batcherState({ sizes: [1, 2, 4], workers: 3, utilisationTarget: 0.7 });
  const ports = [
    await ingress(
      t,
      calls.map((each) => JSON.stringify(each)),
    ),
    await ingress(t, [], undefined, { live }),
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

test("a trace ends at its size, and says so", async (t) => {
  const calls = Array.from({ length: 100 }, (_, index) => call(1_000_000 + index, 1));
  const { out, text } = await run(
    "--operators",
    await ingress(t, calls),
    "--bytes-max",
    "6000",
    "--seconds",
    "1",
  );
  assert.match(text, /The trace is full/);
  assert.ok(readFileSync(out).length <= 6_000);
  assert.ok((await readTrace(out)).calls > 10);
});

test("a trace is not written over, and one without calls is not written", async (t) => {
  const port = await ingress(t, []);
  const { out, code, text } = await run("--operators", port, "--seconds", "1");
  assert.equal(code, 2);
  assert.match(text, /No requests came/);
  assert.ok(!existsSync(out));
  writeFileSync(out, "");
  await assert.rejects(
    run("--operators", port, "--out", out),
    /already exists; choose another name with --out/,
  );
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
  JSON.stringify({ at, tenant, lane, deadlineMs: 2_000, images: [[40_000, 300_000]], outcome: "answered" });

/** An operators' port that streams these lines, and stays open unless `then` ends it. */
async function ingress(
  t: TestContext,
  lines: string[],
  then: (response: ServerResponse) => void = () => {},
  { status = 200, live = {} }: { status?: number; live?: object } = {},
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/live.json") return void response.end(JSON.stringify(live));
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
