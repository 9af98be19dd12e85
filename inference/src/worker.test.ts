import assert from "node:assert/strict";
import test from "node:test";
import { openLog } from "@faceline/contracts/runtime/log";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { TaskEnd } from "./answer-outbox.ts";
import type { Engine } from "./engine/engine.ts";
import type { Prepared } from "./preparation.ts";
import { Worker } from "./worker.ts";

// The engine, the images and the answers are stood in for: what is specified here is the order of things.

test("while a batch runs the next is prepared, and runs only then", async () => {
  const stage = setStage();
  stage.worker.take(batch("a"));
  stage.worker.take(batch("b"));
  await stage.until("run a");
  assert.deepEqual(stage.steps, ["prepare a", "run a", "prepare b"]);
  stage.finish("a");
  await stage.until("run b");
  stage.finish("b");
  await stage.worker.drained();
  assert.deepEqual(stage.steps.toSorted(), [
    "answer a",
    "answer b",
    "prepare a",
    "prepare b",
    "release a",
    "release b",
    "run a",
    "run b",
  ]);
});

test("a batch is named in every report from when it was taken until it has finished", async () => {
  const stage = setStage({ holdAnswers: true });
  stage.worker.take(batch("a"));
  assert.deepEqual(named(stage.worker), ["staged a"]);
  await stage.until("run a");
  assert.deepEqual(named(stage.worker), ["running a"]);
  stage.finish("a");
  await stage.until("answer a");
  assert.deepEqual(named(stage.worker), ["answering a"]);
  stage.answered();
  await stage.worker.drained();
  assert.deepEqual(named(stage.worker), ["finished a answered 1"]);
  assert.equal(stage.gaps, 0, "a report without the batch");
});

test("a batch whose run fails ends without answers, its pixels are released, and the next one runs", async () => {
  const stage = setStage();
  stage.worker.take(batch("a"));
  stage.worker.take(batch("b"));
  await stage.until("run a");
  stage.finish("a", new Error("out of memory"));
  await stage.until("run b");
  assert.ok(!stage.steps.includes("answer a"));
  assert.ok(stage.steps.includes("release a"));
  assert.deepEqual(named(stage.worker), ["running b", "finished a failed 1"]);
});

test("a batch that is read twice runs once", async () => {
  const stage = setStage();
  stage.worker.take(batch("a"));
  stage.worker.take(batch("a"));
  await stage.until("run a");
  stage.worker.take(batch("a"));
  stage.finish("a");
  await stage.worker.drained();
  stage.worker.take(batch("a"));
  assert.deepEqual(named(stage.worker), ["finished a answered 1"]);
});

test("a batch of which no picture is left needs no run", async () => {
  const stage = setStage({ pictures: 0 });
  stage.worker.take(batch("a"));
  await stage.until("answer a");
  await stage.worker.drained();
  assert.deepEqual(stage.steps, ["prepare a", "release a", "answer a"]);
});

test("more batches than a worker may hold are left to the batcher", async () => {
  const stage = setStage();
  for (const name of ["a", "b", "c", "d"]) stage.worker.take(batch(name));
  assert.deepEqual(named(stage.worker), ["staged a", "staged b", "staged c"]);
});

function setStage({ pictures = 1, holdAnswers = false } = {}) {
  const steps: string[] = [];
  const waiting = new Map<string, () => void>();
  const runs = new Map<string, PromiseWithResolvers<Outcome[]>>();
  let answered: () => void = () => {};
  let gaps = 0;
  let running = "";
  const step = (name: string): void => {
    steps.push(name);
    waiting.get(name)?.();
  };
  const worker: Worker = new Worker({
    clock: { now: () => 0 },
    log: openLog("test", "silent"),
    heldBatchesMax: 3,
    changed: () => {
      if (named(worker).length === 0) gaps++;
    },
    prepare: async (taken) => {
      step(`prepare ${taken.id}`);
      const picture = { name: taken.id } as unknown as Prepared["pictures"][number];
      return {
        pictures: Array.from({ length: pictures }, () => picture),
        pictured: taken.tasks.slice(0, pictures),
        ends: taken.tasks
          .slice(pictures)
          .map((task) => ({ task, outcome: { kind: "failed", reason: "image_lost" } })),
        tookMs: 1,
        release: () => step(`release ${taken.id}`),
      };
    },
    engine: {
      lanes: [],
      run: (work: { pictures: unknown[] }) => {
        running = (work.pictures[0] as { name: string }).name;
        const run = Promise.withResolvers<Outcome[]>();
        runs.set(running, run);
        step(`run ${running}`);
        return run.promise;
      },
    } as unknown as Engine,
    answers: {
      send: async (ends: TaskEnd[]) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        answered = resolve;
        step(`answer ${ends[0]!.task.id}`);
        if (holdAnswers) await promise;
      },
    },
  });
  return {
    worker,
    steps,
    get gaps() {
      return gaps;
    },
    answered: () => answered(),
    finish(name: string, error?: Error) {
      if (error === undefined) runs.get(name)!.resolve([{ kind: "rejected", code: "no_face_detected" }]);
      else runs.get(name)!.reject(error);
    },
    until: (name: string) =>
      steps.includes(name) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(name, resolve)),
  };
}

const batch = (name: string): Batch =>
  ({
    id: name,
    lane: "Dlib/ssd",
    sentAt: 0,
    predictedRunMs: 10,
    tasks: [{ id: name, arrivedAt: 0 }],
  }) as unknown as Batch;

function named(worker: Worker): string[] {
  const { running, staged, answering, finished } = worker.read();
  return [
    ...(running === null ? [] : [`running ${running.batch}`]),
    ...staged.map((each) => `staged ${each.batch}`),
    ...answering.map((each) => `answering ${each.batch}`),
    ...finished.map((each) => `finished ${each.batch} ${each.end} ${each.size}`),
  ];
}
