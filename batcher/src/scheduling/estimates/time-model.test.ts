import assert from "node:assert/strict";
import test from "node:test";
import { TimeModel } from "./time-model.ts";

test("a model finds the line that its observations lie on", () => {
  const model = new TimeModel([
    { size: 1, ms: 42 },
    { size: 32, ms: 104 },
  ]);
  for (const size of [1, 8, 32]) assert.ok(Math.abs(model.meanMs(size) - (40 + 2 * size)) < 1e-9);
  assert.equal(model.highMs(8), model.meanMs(8));
});

test("observations outweigh the warm-up, and late ones the early ones", () => {
  const model = new TimeModel([{ size: 1, ms: 500 }]);
  for (let i = 0; i < 300; i++) model.learn([1, 4, 16][i % 3]!, 10 + [1, 4, 16][i % 3]!);
  assert.ok(Math.abs(model.meanMs(1) - 11) < 0.1, `${model.meanMs(1)}`);
  assert.ok(Math.abs(model.meanMs(16) - 26) < 0.1, `${model.meanMs(16)}`);
});

test("observations of one size grow with the size; no larger batch is ever quicker, and none is free", () => {
  const one = new TimeModel([{ size: 4, ms: 40 }]);
  assert.equal(one.meanMs(8), 80);
  const falling = new TimeModel([
    { size: 1, ms: 30 },
    { size: 8, ms: 20 },
  ]);
  assert.equal(falling.meanMs(1), falling.meanMs(32));
});

test("the pessimistic time is the mean and three residuals", () => {
  const model = new TimeModel([{ size: 1, ms: 100 }]);
  model.learn(1, 120);
  assert.ok(Math.abs(model.highMs(1) - model.meanMs(1) - 3 * 0.05 * 20) < 1e-9);
});

test("three errors in a row, of one sign and too large for noise, are a change of pace at every size", () => {
  const model = new TimeModel([
    { size: 1, ms: 42 },
    { size: 32, ms: 104 },
  ]);
  for (let run = 0; run < 3; run++) model.learn(32, 312);
  assert.ok(Math.abs(model.meanMs(32) - 312) < 1, `${model.meanMs(32)}`);
  assert.ok(Math.abs(model.meanMs(1) - 126) < 1, `${model.meanMs(1)}`);
});

test("hours of full batches do not forget how long a small one takes", () => {
  const model = new TimeModel([1, 2, 4, 8, 16, 32].map((size) => ({ size, ms: 40 + 2 * size })));
  for (let run = 0; run < 2_000; run++) model.learn(32, 104 + (run % 2 === 0 ? 3 : -3));
  assert.ok(Math.abs(model.meanMs(1) - 42) < 2, `${model.meanMs(1)}`);
});

test("the first run of a size after a long time replaces what was learned of it before", () => {
  const model = new TimeModel([1, 2, 4].map((size) => ({ size, ms: 100 * size })));
  for (let run = 0; run < 200; run++) model.learn(1, 40);
  // Runs of these sizes are no more than twice as long as those of size 1: nothing of the warm-up is left.
  for (const size of [2, 4]) model.learn(size, 40 + 10 * (size - 1));
  assert.ok(Math.abs(model.meanMs(4) - 70) < 1, `${model.meanMs(4)}`);
});

test("pauses of the machine do not lengthen a size that is not run more and more", () => {
  const model = new TimeModel([1, 2, 4].map((size) => ({ size, ms: 11 * size })));
  let count = 0;
  const runs = (more: number, factor = 1) => {
    for (const last = count + more; count < last; count++) {
      const size = count % 5 === 4 ? 4 : 2;
      model.learn(size, factor * (11 + Math.sin(7 * count)) * size);
    }
  };
  for (let pause = 0; pause < 20; pause++) {
    runs(3, 2.5);
    runs(200);
  }
  // A batch takes as long as its tasks one by one, of each size.
  for (const size of [1, 2, 4]) {
    assert.ok(Math.abs(model.meanMs(size) - 11 * size) < 0.05 * 11 * size, `${size}: ${model.meanMs(size)}`);
  }
  assert.ok(model.line.alpha < 1, `${model.line.alpha}`);
});

test("pauses of the machine do not lengthen larger sizes that are not run more and more", () => {
  const model = new TimeModel([1, 2, 4, 8].map((size) => ({ size, ms: 10 + 5 * size })));
  for (let pause = 0; pause < 20; pause++) {
    for (let run = 0; run < 200; run++) {
      const size = 1 + (run % 2);
      model.learn(size, (run < 3 ? 2.5 : 1) * (10 + 5 * size + Math.sin(run)));
    }
  }
  // Four times as long as a batch of 2, at most: that is 80 ms, and 50 before the pauses.
  assert.ok(model.meanMs(8) < 85, `${model.meanMs(8)}`);
  assert.ok(model.line.beta < 10, `${model.line.beta}`);
});

test("slow and quick minutes of the sizes that are run do not narrow the time of one that is not", () => {
  const model = new TimeModel([1, 2, 4].map((size) => ({ size, ms: 10 * size })));
  // Never by so much at once that the pace has changed.
  for (const factor of [1, 1.05, 1.1, 1.15, 1.2, 1.15, 1.1, 1.05, 1, 0.95, 0.9, 0.85, 0.9, 0.95, 1]) {
    for (let run = 0; run < 300; run++) model.learn(2, factor * 20 + (run % 2) - 0.5);
  }
  // No batch gains anything, as before.
  assert.ok(Math.abs(model.meanMs(4) - 40) < 1, `${model.meanMs(4)}`);
  assert.ok(Math.abs(model.meanMs(1) - 10) < 0.5, `${model.meanMs(1)}`);
});

test("a size that is not run takes no less than a smaller one that is", () => {
  const model = new TimeModel([1, 2, 4].map((size) => ({ size, ms: 10 })));
  // Slower and slower, never by so much that the pace has changed.
  for (let run = 0; run < 500; run++) model.learn(run % 3 === 0 ? 1 : 2, 10 + run / 10);
  assert.ok(model.meanMs(4) >= model.meanMs(2) - 1e-9, `${model.meanMs(4)} and ${model.meanMs(2)}`);
  assert.ok(model.line.beta > 0);
});

test("where times are stepped the means are used, and their ends give the slope", () => {
  const steps = [10, 10, 10, 80, 80, 80];
  const model = new TimeModel([1, 2, 4, 8, 16, 32].map((size, index) => ({ size, ms: steps[index]! })));
  assert.equal(model.meanMs(4), 10);
  assert.equal(model.meanMs(8), 80);
  assert.ok(Math.abs(model.line.beta - 70 / 31) < 1e-9);
});

test("a guess is forgotten, also at sizes that were never run", () => {
  const model = new TimeModel([{ size: 1, ms: 1_000 }], "guessed");
  for (let run = 0; run < 100; run++) model.learn([8, 16][run % 2]!, [8, 16][run % 2]!);
  assert.ok(Math.abs(model.meanMs(1) - 1) < 1e-6, `${model.meanMs(1)}`);
});

test("a batch that takes no time still counts as taking some", () => {
  const model = new TimeModel([1, 2, 4].map((size) => ({ size, ms: 0 })));
  model.learn(4, 0);
  assert.ok(model.meanMs(1) > 0);
  assert.ok(model.highMs(4) > 0);
});
