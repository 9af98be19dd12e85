// Covers running.ts too, with an ingress and a batcher whose ports are all that is real of them.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { batcherState } from "../testing/fixtures.ts";
import { readTrace } from "../trace/trace-file.ts";
import { plan } from "./plan.ts";

const token = "0123456789abcdef";
const pool = batcherState({ sizes: [1, 2, 4, 8], workers: 1, utilisationTarget: 0.85 });

test("without a running service it says what to do", async (t) => {
  const folder = newFolder(t);
  await assert.rejects(run(folder), /No Faceline was started from .* with npm start/);
  writeFileSync(
    join(folder, "running-service.json"),
    JSON.stringify(serviceAt("http://127.0.0.1:1", folder)),
  );
  await assert.rejects(run(folder), /is no longer running\. Start it .* with npm start/);
});

test("it sends drawn calls, records them, measures the machine and ends with the line that starts it with the plan", async (t) => {
  const folder = newFolder(t);
  const url = await serve(t);
  writeFileSync(join(folder, "running-service.json"), JSON.stringify(serviceAt(url, folder)));
  // With a target that a busy machine meets, too.
  const traffic = ["--draw", "poisson", "--rate", "20", "--seconds", "3", "--target", "p99<3600000ms"];
  const { code, text } = await run(folder, ...traffic);
  assert.equal(code, 0, text);
  assert.match(text, /Sending synthetic requests for 3 s: poisson of 20 per second/);
  const { calls, columns } = await readTrace(join(folder, "plan", "latest.jsonl"));
  assert.match(text, new RegExp(`\\n${calls} requests were written`));
  assert.deepEqual(columns.measured?.settings, { workers: 1, batchMax: 8, utilisationTarget: 0.85 });
  assert.match(text, /Dlib\/ssd\n {2}batch of 1: \d+\.\d ms/);
  assert.match(
    text.replaceAll(/\s+/g, " "),
    /with the settings in force \(1 worker, .*\) the recorded requests took/,
  );
  assert.match(text, /To set it:\n\n {2}BATCH_MAX=\d+ UTILISATION_TARGET=\S+ npm start -- --workers 1\n/);
});

test("without calls and without a key to send some with, it ends with what to do", async (t) => {
  const folder = newFolder(t);
  const url = await serve(t);
  const service = { ...serviceAt(url, folder), keyFile: null };
  writeFileSync(join(folder, "running-service.json"), JSON.stringify(service));
  const { code, text } = await run(folder, "--draw", "poisson", "--seconds", "1");
  assert.equal(code, 2);
  assert.match(text, /no development key .*\nNo requests came, .*\nSend requests to .* and repeat/);
});

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "plan-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ["token", "key"]) writeFileSync(join(folder, name), token);
  return folder;
}

const serviceAt = (url: string, folder: string) => ({
  address: url,
  operators: { "ingress-1": url, "batcher-1": url, "inference-1": url },
  tokenFile: join(folder, "token"),
  keyFile: join(folder, "key"),
  modelsDir: folder,
  engine: "model:20+2b",
});

/** One server for the API of an ingress and both operators' ports: it says that each call took 40 ms. */
async function serve(t: TestContext): Promise<string> {
  let calls: ServerResponse | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    if (request.url === "/livez") return void response.end("ok\n");
    if (request.url === "/verify") {
      await once(request, "end");
      const at = Date.now();
      const images = [[41_000, 327_680]];
      const call = {
        at,
        tenant: 1,
        lane: "Dlib/ssd",
        deadlineMs: 30_000,
        images: [...images, ...images],
      };
      calls?.write(`${JSON.stringify({ ...call, outcome: "answered", tookMs: 40, serviceMs: 12 })}\n`);
      return void response.end("{}");
    }
    assert.equal(request.headers.authorization, `Bearer ${token}`);
    if (request.url === "/live.json") return void response.end(JSON.stringify(pool));
    assert.match(request.url!, /^\/calls\?salt=/);
    calls = response;
    response.writeHead(200).write("\n");
  };
  const server: Server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(stateFolder: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await plan(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
