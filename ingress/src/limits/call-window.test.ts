import assert from "node:assert/strict";
import { test } from "node:test";
import { CallWindow } from "./call-window.ts";

test("without a refusal all calls begin at once", () => {
  const { enter, begun } = newWindow();
  for (let call = 1; call <= 1_000; call++) enter(call);
  assert.equal(begun.length, 1_000);
});

test("a refusal halves the complete calls, and the others wait in order", () => {
  const { complete, enter, begun } = newWindow();
  const places = [1, 2, 3, 4, 5, 6, 7, 8].map(complete);
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

test("a refusal stops the youngest bodies that are not complete; they go on in order", () => {
  const { complete, enter, begun } = newWindow();
  const [first, second] = [complete(1), complete(2)];
  const bodies = [3, 4, 5].map(enter);
  first.leave(true);
  assert.deepEqual(
    bodies.map(({ isOpen }) => isOpen),
    [false, false, false],
    "the batcher has accepted one call, and refused the second",
  );
  for (const [index, body] of bodies.entries()) body.whenOpen(() => begun.push(100 + index));
  second.leave(false);
  assert.deepEqual(begun.slice(5), [100, 101], "2");
  bodies[0]!.leave(false);
  assert.deepEqual(begun.slice(5), [100, 101, 102]);
});

test("refusals of calls that were complete before the last decrease change nothing", () => {
  const { complete, enter, begun } = newWindow();
  for (const place of [1, 2, 3, 4, 5, 6, 7, 8].map(complete)) place.leave(true);
  for (let call = 9; call <= 20; call++) enter(call);
  assert.deepEqual(begun.slice(8), [9, 10, 11, 12]);
});

test("one call may always be in progress", () => {
  const { complete, enter, begun } = newWindow();
  for (let call = 1; call <= 10; call++) complete(call).leave(true);
  enter(11);
  enter(12);
  assert.deepEqual(begun.slice(10), [11]);
});

test("calls that end without a refusal raise the limit: by one after as many calls as it is high", () => {
  const { complete, enter, begun } = newWindow();
  for (const place of [1, 2, 3, 4].map(complete)) place.leave(true);
  const [fifth, sixth] = [complete(5), complete(6)];
  for (const call of [7, 8, 9]) enter(call);
  assert.deepEqual(begun.slice(4), [5, 6]);
  fifth.leave(false);
  assert.deepEqual(begun.slice(4), [5, 6, 7], "2.5");
  sixth.leave(false);
  assert.deepEqual(begun.slice(4), [5, 6, 7, 8], "2.9");
});

test("a call that leaves with half of its body tells nothing about the limit", () => {
  const { complete, enter, begun } = newWindow();
  complete(1).leave(true);
  for (let call = 2; call <= 20; call++) enter(call).leave(false);
  enter(21);
  enter(22);
  assert.deepEqual(begun.slice(-1), [21]);
});

test("a waiting call that leaves never begins, and the next one takes its turn", () => {
  const { complete, enter, begun, window } = newWindow();
  const [first, second] = [complete(1), enter(2)];
  first.leave(true);
  const [third, fourth] = [enter(3), enter(4)];
  third.leave(false);
  second.leave(false);
  assert.deepEqual(begun, [1, 2, 4]);
  fourth.leave(false);
  assert.ok(window.isIdle);
});

function newWindow() {
  const window = new CallWindow();
  const begun: number[] = [];
  const enter = (call: number) => {
    const place = window.enter();
    place.whenOpen(() => begun.push(call));
    return place;
  };
  const complete = (call: number) => {
    const place = enter(call);
    place.complete();
    return place;
  };
  return { window, begun, enter, complete };
}
