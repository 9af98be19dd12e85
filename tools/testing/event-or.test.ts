import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";
import { eventOr } from "./event-or.ts";

test("many waits that end without their event leave no listener, and Node warns of none", async (t) => {
  const events = new EventEmitter();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  t.after(() => process.off("warning", onWarning));
  for (let i = 0; i < 20; i++) await eventOr(events, "staged", Promise.resolve());
  assert.deepEqual([events.listenerCount("staged"), events.listenerCount("error")], [0, 0]);
  await new Promise(setImmediate);
  assert.deepEqual(warnings, []);
});

test("the event ends the wait, and so does a failure of the other", async () => {
  const events = new EventEmitter();
  const never = new Promise<never>(() => {});
  const waited = eventOr(events, "running", never);
  events.emit("running");
  await waited;
  await assert.rejects(eventOr(events, "running", Promise.reject(new Error("gone"))), /gone/);
  assert.equal(events.listenerCount("running"), 0);
});
