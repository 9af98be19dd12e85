import assert from "node:assert/strict";
import test from "node:test";
import { BytePace } from "./byte-pace.ts";

const chunk = (body: number, bytes: number) => ({ body, bytes });

test("the bytes of a second pass at once; further ones wait until those are paid for", () => {
  const pace = new BytePace(1_000);
  const chunks = Array.from({ length: 4 }, () => chunk(1, 500));
  for (const each of chunks) pace.push(each);
  assert.deepEqual(pace.pass(10_000), { chunks: chunks.slice(0, 3), nextInMs: 500 });
  assert.deepEqual(pace.pass(10_499), { chunks: [], nextInMs: 1 });
  assert.deepEqual(pace.pass(10_500), { chunks: chunks.slice(3), nextInMs: null });
});

test("the body that began first goes first, and its own chunks keep their order", () => {
  const pace = new BytePace(1_000);
  const [third, first, second, fourth] = [chunk(2, 1_500), chunk(1, 1_500), chunk(1, 1_000), chunk(3, 1)];
  for (const each of [third, first, second, fourth]) pace.push(each);
  const order = [10_000, 11_500, 12_500, 14_000].flatMap((now) => pace.pass(now).chunks);
  assert.deepEqual(order, [first, second, third, fourth]);
});

test("a body that has ended no longer takes part", () => {
  const pace = new BytePace(1_000);
  const [passed, gone, next] = [chunk(1, 2_000), chunk(2, 1_000), chunk(3, 1_000)];
  for (const each of [passed, gone, next]) pace.push(each);
  pace.pass(10_000);
  pace.remove(gone);
  assert.deepEqual(pace.pass(11_000).chunks, [next]);
});

test("in any time, a team that always sends gets its rate and the bytes of one second", () => {
  const pace = new BytePace(1_000);
  let bytes = 0;
  for (let now = 10_000; now < 20_000; now++) {
    pace.push(chunk(now, 64));
    bytes += 64 * pace.pass(now).chunks.length;
  }
  assert.ok(bytes >= 10_900 && bytes <= 11_100, `${bytes}`);
});

test("it is idle once nothing waits and a second's bytes may pass again", () => {
  const pace = new BytePace(1_000);
  pace.push(chunk(1, 500));
  assert.ok(!pace.isIdle(10_000));
  pace.pass(10_000);
  assert.deepEqual([pace.isIdle(10_499), pace.isIdle(10_500)], [false, true]);
});
