import assert from "node:assert/strict";
import { test } from "node:test";
import { CallWindow } from "./call-window.ts";

test("without a refusal all calls begin at once", () => {
  const { enter, begun } = newWindow();
  for (let call = 1; call <= 1_000; call++) enter(call);
  assert.equal(begun.length, 1_000);
});

test("a refusal halves the calls in progress, and the others wait in order", () => {
  const { enter, begun } = newWindow();
  const places = [1, 2, 3, 4, 5, 6, 7, 8].map(enter);
  places[0]!.leave(true);
  for (const call of [9, 10]) enter(call);
  assert.equal(begun.length, 8);
  for (const place of places.slice(1, 4)) place.leave(true);
  assert.deepEqual(begun.slice(8), [], "four are in progress, which is half of eight");
  places[4]!.leave(true);
  assert.deepEqual(begun.slice(8), [9]);
  places[5]!.leave(true);
  assert.deepEqual(begun.slice(8), [9, 10]);
});

test("refusals of calls that began before the last decrease change nothing", () => {
  const { enter, begun } = newWindow();
  for (const place of [1, 2, 3, 4, 5, 6, 7, 8].map(enter)) place.leave(true);
  for (let call = 9; call <= 20; call++) enter(call);
  assert.deepEqual(begun.slice(8), [9, 10, 11, 12]);
});

test("one call may always be in progress", () => {
  const { enter, begun } = newWindow();
  for (let call = 1; call <= 10; call++) enter(call).leave(true);
  enter(11);
  enter(12);
  assert.deepEqual(begun.slice(10), [11]);
});

test("calls that end without a refusal raise the limit: by one after as many calls as it is high", () => {
  const { enter, begun } = newWindow();
  const first = [1, 2, 3, 4].map(enter);
  for (const place of first) place.leave(true);
  const places = [5, 6, 7, 8].map(enter);
  assert.deepEqual(begun.slice(4), [5, 6]);
  places[0]!.leave(false);
  assert.deepEqual(begun.slice(4), [5, 6, 7], "2.5");
  places[1]!.leave(false);
  assert.deepEqual(begun.slice(4), [5, 6, 7, 8], "2.9");
  const more = [9, 10].map(enter);
  places[2]!.leave(false);
  assert.deepEqual(begun.slice(8), [9, 10], "3.2");
  more[0]!.leave(false);
});

test("a waiting call that leaves never begins, and the next one takes its turn", () => {
  const { enter, begun, window } = newWindow();
  const [first, second] = [enter(1), enter(2)];
  first.leave(true);
  const [third, fourth] = [enter(3), enter(4)];
  third.leave(false);
  second.leave(true);
  assert.deepEqual(begun, [1, 2, 4]);
  fourth.leave(false);
  assert.ok(window.isIdle);
});

function newWindow() {
  const window = new CallWindow();
  const begun: number[] = [];
  return { window, begun, enter: (call: number) => window.enter(() => void begun.push(call)) };
}
