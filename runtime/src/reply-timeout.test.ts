import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { type CoreWaits, coreWaits } from "./core-waits.ts";
import { ReplyTimeout, timeOfPart } from "./reply-timeout.ts";
import type { TimeSpent } from "./starvation.ts";

// What happens in a real process without a core is in starved-process.test.ts.
const ms = 40;

test("a reply that came while the event loop was blocked for longer than the timeout is read first", async (t) => {
  const server = await echoThread(t);
  const socket = connect(server.port, "127.0.0.1");
  t.after(() => socket.destroy());
  await once(socket, "connect");
  const reply = once(socket, "data");
  socket.write("request");
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  using _timeout = new ReplyTimeout(ms, () => reject(new Error("timed out")));
  server.blockUntilReplied();
  block(5 * ms);
  await Promise.race([reply, timedOut]);
});

test("what waits behind another reply is not late because the event loop was blocked", async () => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  using _timeout = new ReplyTimeout(ms, () => reject(new Error("timed out")));
  block(5 * ms);
  // Turns in which replies are read and the next requests are sent.
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  await Promise.race([turns(), timedOut]);
});

test("without a reply, the timeout passes in the last of four turns, however long they take", async (t) => {
  t.mock.method(coreWaits, "mainThread", () => new Map());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let timeouts = 0;
  using _timeout = new ReplyTimeout(ms, () => timeouts++);
  for (const blockedMs of [ms / 4, 100 * ms, ms / 4, ms / 4 - 1]) t.mock.timers.tick(blockedMs);
  await new Promise(setImmediate);
  assert.equal(timeouts, 0);
  t.mock.timers.tick(1);
  assert.equal(timeouts, 0);
  await new Promise(setImmediate);
  assert.equal(timeouts, 1);
});

test("time in which a thread had no core does not count, nor does the rest of a long pause", () => {
  for (const [delayMs, elapsedMs, waitedMs, ranMs, unableMs] of [
    [250, 250, 0, 250, 0],
    [250, 250, 150, 100, 150],
    // A quarter counts in any case.
    [250, 250, 250, 250 / 4, 250],
    // The timer fired late: this process was blocked, stopped, or had no core.
    [250, 30_250, 0, 250, 30_000],
    [250, 400, 380, 100, 380],
    [250, 1_000, 950, 250, 950],
    [250, 1_000, 100, 250, 750],
    // A reading may be older than the part.
    [250, 250, 300, 250 / 4, 250],
  ] as const) {
    assert.deepEqual(timeOfPart({ delayMs, elapsedMs, waitedMs }), { ranMs, unableMs });
  }
});

test("a timeout is later by as much as a thread waits for a core, and says how long that was", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const pass = async (forMs: number) => {
    for (let i = 0; i < forMs; i++) {
      now++;
      t.mock.timers.tick(1);
    }
    await new Promise(setImmediate);
  };
  const timeouts: TimeSpent[] = [];
  // A thread that waits for two thirds of the time.
  const waits = (): CoreWaits => new Map([["1", (2 / 3) * now]]);
  using _timeout = new ReplyTimeout(ms, (spent) => timeouts.push(spent), waits);
  await pass(3 * ms - ms / 4);
  assert.equal(timeouts.length, 0);
  await pass(ms / 2);
  const [{ elapsedMs, unableMs }] = timeouts as [TimeSpent];
  assert.ok(Math.abs(unableMs - (2 / 3) * elapsedMs) < 1, `${elapsedMs} ms, of them ${unableMs}`);

  // One that does not get a core at all.
  const never = (): CoreWaits => new Map([["1", 1_000 * now]]);
  using starving = new ReplyTimeout(ms, () => assert.fail("timed out"), never);
  await pass(3 * ms);
  assert.ok(starving.spent.unableMs >= 3 * ms);
});

test("after its end a timeout does nothing, not even while sockets are read for the last time", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const fail = () => assert.fail("timed out");
  const early = new ReplyTimeout(ms, fail);
  early[Symbol.dispose]();
  const late = new ReplyTimeout(ms, fail);
  for (let part = 0; part < 4; part++) t.mock.timers.tick(ms / 4);
  late[Symbol.dispose]();
  await new Promise(setImmediate);
});

/** A server in a thread of its own, which answers while this one is blocked. */
async function echoThread(t: test.TestContext): Promise<{ port: number; blockUntilReplied(): void }> {
  const replied = new Int32Array(new SharedArrayBuffer(4));
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    const server = require("node:net").createServer((socket) => {
      socket.on("data", (bytes) => {
        socket.write(bytes);
        Atomics.store(workerData, 0, 1);
        Atomics.notify(workerData, 0);
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
  `;
  const thread = new Worker(program, { eval: true, workerData: replied });
  t.after(() => thread.terminate());
  const [port] = (await once(thread, "message")) as [number];
  return { port, blockUntilReplied: () => void Atomics.wait(replied, 0, 0) };
}

function block(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}
