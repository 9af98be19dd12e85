import assert from "node:assert/strict";
import test from "node:test";
import { openReplyServer, type Reply } from "@faceline/runtime/reply-server";
import { freePorts } from "../../launcher/ports.ts";
import { processReadings } from "./process-readings.ts";

test("a process is read with the operators' token, once for all who ask at a time", async (t) => {
  let requests = 0;
  const origin = await open(t, ({ headers }) => {
    requests++;
    return { status: headers.authorization === "Bearer a-token" ? 200 : 401, text: '{"process":"one"}' };
  });
  const read = processReadings([{ process: "ingress-1", origin }], () => "a-token");
  const [first, second] = await Promise.all([read(), read()]);
  assert.deepEqual(first, [{ process: "ingress-1", origin, state: { process: "one" } }]);
  assert.equal(second, first);
  assert.equal(requests, 1);
});

test("what cannot be read has its cause", async (t) => {
  const [port = 0] = await freePorts(1);
  const faultAt = async (origin: string) => {
    const [reading] = await processReadings([{ process: "ingress-1", origin }], () => undefined)();
    return reading !== undefined && "fault" in reading ? reading.fault : "no fault";
  };
  assert.match(await faultAt(`http://127.0.0.1:${port}`), /^Nothing listens at 127\.0\.0\.1:\d+: .*starting/);
  assert.match(await faultAt(await open(t, () => ({ status: 401 }))), /refuses the operators' token/);
  assert.match(await faultAt(await open(t, () => ({ status: 500 }))), /has status 500/);
  assert.match(
    await faultAt(await open(t, () => ({ status: 200, text: "{" }))),
    /cannot be read \(SyntaxError\)/,
  );
});

async function open(
  t: test.TestContext,
  replyTo: (request: { headers: NodeJS.Dict<string | string[]> }) => Reply,
) {
  const [port = 0] = await freePorts(1);
  const server = await openReplyServer({ host: "127.0.0.1", port, connectionsMax: 8 }, async (request) =>
    replyTo(request),
  );
  t.after(() => server[Symbol.asyncDispose]());
  return `http://127.0.0.1:${port}`;
}
