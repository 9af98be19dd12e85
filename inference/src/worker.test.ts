import assert from "node:assert/strict";
import test from "node:test";
import type { Batch } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { LoadedLane } from "@faceline/contracts/wire/report";
import type { TaskWait } from "@faceline/contracts/wire/timing";
import { coreWaits } from "@faceline/runtime/starvation";
import { openLog } from "@faceline/runtime/log";
import { tracingOff } from "@faceline/runtime/tracing/tracing";
import type { CompletedTask } from "./answer-outbox.ts";
import { BatchSpans } from "./batch-spans.ts";
import type { Engine } from "./engine/engine.ts";
import type { PreparedBatch } from "./preparation.ts";
import { Worker } from "./worker.ts";

// The engine, the images and the answers are stubs: specified here is the order of steps.

test("while a batch runs two more are prepared, and run only then", async () => {
  const fixture = openWorker();
  for (const name of ["a", "b", "c", "d"]) fixture.worker.take(batch(name));
  await fixture.until("prepare c");
  assert.deepEqual(fixture.steps, ["prepare a", "prepare b", "run a", "prepare c"]);
  for (const [name, next] of [
    ["a", "b"],
    ["b", "c"],
    ["c", "d"],
  ] as const) {
    fixture.finish(name);
    await fixture.until(`run ${next}`);
  }
  fixture.finish("d");
  await fixture.worker.drained();
  const stepsOf = (name: string) => fixture.steps.filter((step) => step.endsWith(` ${name}`));
  for (const name of ["a", "b", "c", "d"]) {
    const steps = ["prepare", "run", "release", "answer"].map((step) => `${step} ${name}`);
    assert.deepEqual(stepsOf(name), steps);
  }
  // The first run, and each end together with the run after it.
  assert.equal(fixture.changes, 5);
});

test("a batch that takes long to prepare does not delay the one behind it", async () => {
  const fixture = openWorker({ slowToPrepare: "a" });
  fixture.worker.take(batch("a"));
  fixture.worker.take(batch("b"));
  await fixture.until("run b");
  assert.deepEqual(named(fixture.worker), ["running b", "staged a"]);
  fixture.prepared();
  fixture.finish("b");
  await fixture.until("run a");
  fixture.finish("a");
  await fixture.worker.drained();
  assert.deepEqual(named(fixture.worker).toSorted(), ["finished a answered 1", "finished b answered 1"]);
});

test("a report of a batch names its tasks with several faces, which its tenant pays for", async () => {
  const fixture = openWorker();
  fixture.worker.take(batch("a"));
  await fixture.until("run a");
  const faces = [{}, {}, {}];
  fixture.finish("a", undefined, { kind: "faces", faces } as unknown as Outcome);
  await fixture.worker.drained();
  assert.deepEqual(fixture.worker.read().finished[0]?.crowds, [{ task: "a", faces: 3 }]);
});

test("a report says later ends of a run that goes on, and of one whose threads have no core", async (t) => {
  let waitedMs = 0;
  t.mock.method(coreWaits, "allThreads", () => new Map([["1", waitedMs]]));
  const fixture = openWorker();
  let elapsedMs = 0;
  t.mock.method(performance, "now", () => elapsedMs);
  const endsAt = (now: number) => {
    elapsedMs = now;
    fixture.at(now);
    return fixture.worker.read().running?.endsAt;
  };
  fixture.worker.take(batch("a"));
  await fixture.until("run a");
  assert.equal(endsAt(5), 10);
  assert.equal(endsAt(2_000), 10);
  fixture.goOn();
  assert.equal(endsAt(3_000), 3_000);
  waitedMs = 700;
  assert.equal(endsAt(4_000), 3_700);
  waitedMs = 10_000;
  assert.equal(endsAt(7_000), 6_000);
  fixture.finish("a");
  await fixture.worker.drained();
});

test("every report names a batch from when it was taken until it has finished", async () => {
  const fixture = openWorker({ holdAnswers: true });
  fixture.worker.take(batch("a"));
  assert.deepEqual(named(fixture.worker), ["staged a"]);
  await fixture.until("run a");
  assert.deepEqual(named(fixture.worker), ["running a"]);
  fixture.finish("a");
  await fixture.until("answer a");
  // Delivered again: it has it still.
  fixture.worker.take(batch("a"));
  assert.deepEqual(named(fixture.worker), ["answering a"]);
  fixture.answered();
  await fixture.worker.drained();
  assert.deepEqual(named(fixture.worker), ["finished a answered 1"]);
  assert.equal(fixture.gaps, 0, "a report without the batch");
});

test("a batch whose run fails ends without answers, its pixels are released, and the next one runs", async () => {
  const fixture = openWorker();
  fixture.worker.take(batch("a"));
  fixture.worker.take(batch("b"));
  await fixture.until("run a");
  fixture.finish("a", new Error("out of memory"));
  await fixture.until("run b");
  assert.ok(!fixture.steps.includes("answer a"));
  assert.ok(fixture.steps.includes("release a"));
  assert.deepEqual(named(fixture.worker), ["running b", "finished a failed 1"]);
});

test("a batch that is delivered twice runs once", async () => {
  const fixture = openWorker();
  fixture.worker.take(batch("a"));
  fixture.worker.take(batch("a"));
  await fixture.until("run a");
  fixture.worker.take(batch("a"));
  fixture.finish("a");
  await fixture.worker.drained();
  fixture.worker.take(batch("a"));
  assert.deepEqual(named(fixture.worker), ["finished a answered 1"]);
});

test("a batch without images needs no run", async () => {
  const fixture = openWorker({ images: 0 });
  fixture.worker.take(batch("a"));
  await fixture.until("answer a");
  await fixture.worker.drained();
  assert.deepEqual(fixture.steps, ["prepare a", "release a", "answer a"]);
});

test("an answer tells how long each part of its task took, also the wait behind the running batch", async () => {
  const fixture = openWorker();
  const waited = { hopMs: 2, queueMs: 10, holdMs: 1, retryMs: 0, attempts: 1 };
  fixture.at(100);
  fixture.worker.take(batch("a"));
  fixture.worker.take(batch("b", { waited }));
  await fixture.until("run a");
  fixture.at(150);
  fixture.finish("a");
  await fixture.until("run b");
  fixture.at(190);
  fixture.finish("b");
  await fixture.worker.drained();
  // Sent at 0 and received at 100; prepared from 101 to 107; a ran from 100 to 150, b from 150 to 190.
  assert.deepEqual(fixture.completed.get("b")?.timing, {
    hopMs: 102,
    queueMs: 10 + 1 + 43,
    holdMs: 1,
    retryMs: 0,
    attempts: 1,
    prepareMs: 6,
    runMs: 40,
  });
});

test("batches beyond the limit are left to the batcher", async () => {
  const fixture = openWorker({ heldBatchesMax: 3 });
  for (const name of ["a", "b", "c", "d"]) fixture.worker.take(batch(name));
  assert.deepEqual(named(fixture.worker), ["staged a", "staged b", "staged c"]);
});

test("a batch for another build, whose partition has moved here, is refused and not run", () => {
  const fixture = openWorker();
  fixture.worker.take(batch("a", { digest: "1".repeat(16) }));
  assert.deepEqual(named(fixture.worker), ["finished a refused 0"]);
  assert.deepEqual(fixture.steps, []);
});

test("assigned partitions and a drain are reported at once", () => {
  const fixture = openWorker();
  fixture.worker.assign([2, 5]);
  assert.deepEqual([fixture.worker.read().partitions, fixture.worker.read().draining], [[2, 5], false]);
  fixture.worker.startDraining();
  assert.equal(fixture.worker.read().draining, true);
  assert.equal(fixture.changes, 2);
});

test("a worker that gives up names no batch any more", async () => {
  const fixture = openWorker();
  fixture.worker.take(batch("a"));
  fixture.worker.take(batch("b"));
  await fixture.until("run a");
  assert.deepEqual(named(fixture.worker), ["running a", "staged b"]);
  fixture.worker.abandon();
  assert.deepEqual(named(fixture.worker), []);
});

function openWorker({ images = 1, holdAnswers = false, slowToPrepare = "", heldBatchesMax = 4 } = {}) {
  const steps: string[] = [];
  const slowPreparation = Promise.withResolvers<void>();
  const waiting = new Map<string, () => void>();
  const runs = new Map<string, PromiseWithResolvers<{ results: Outcome[] }>>();
  let answered: () => void = () => {};
  let engineSteps = 0;
  let gaps = 0;
  let changes = 0;
  let running = "";
  let now = 0;
  const completed = new Map<string, CompletedTask>();
  const lanes = [{ lane: "Dlib/ssd", build: { digest: "0".repeat(16) } }] as unknown as LoadedLane[];
  const step = (name: string): void => {
    steps.push(name);
    waiting.get(name)?.();
  };
  const worker: Worker = new Worker({
    clock: { now: () => now },
    log: openLog("test", "silent"),
    heldBatchesMax,
    spans: new BatchSpans(tracingOff, { worker: "inference-1", pool: "default" }),
    onChange: () => {
      changes++;
      if (named(worker).length === 0) gaps++;
    },
    imageBytes: () => 0,
    prepare: async (taken) => {
      step(`prepare ${taken.id}`);
      if (taken.id === slowToPrepare) await slowPreparation.promise;
      const image = { name: taken.id } as unknown as PreparedBatch["images"][number];
      return {
        images: Array.from({ length: images }, () => image),
        tasks: taken.tasks.slice(0, images),
        completed: taken.tasks
          .slice(images)
          .map((task) => ({ task, outcome: { kind: "failed", reason: "image_lost" } })),
        startedAt: now + 1,
        endedAt: now + 7,
        decodeInFull: () => assert.fail("nothing was too coarse"),
        release: () => step(`release ${taken.id}`),
      };
    },
    engine: {
      lanes,
      get steps() {
        return engineSteps;
      },
      run: (work: { images: unknown[] }) => {
        running = (work.images[0] as { name: string }).name;
        const run = Promise.withResolvers<{ results: Outcome[] }>();
        runs.set(running, run);
        step(`run ${running}`);
        return run.promise;
      },
    } as unknown as Engine,
    answers: {
      send: async (sent: CompletedTask[]) => {
        for (const end of sent) completed.set(end.task.id, end);
        const { promise, resolve } = Promise.withResolvers<void>();
        answered = resolve;
        step(`answer ${sent[0]!.task.id}`);
        if (holdAnswers) await promise;
      },
    },
  });
  return {
    worker,
    steps,
    completed: completed as ReadonlyMap<string, CompletedTask>,
    goOn: () => void engineSteps++,
    at(instant: number) {
      now = instant;
    },
    get gaps() {
      return gaps;
    },
    get changes() {
      return changes;
    },
    answered: () => answered(),
    prepared: () => slowPreparation.resolve(),
    finish(name: string, error?: Error, ...outcomes: Outcome[]) {
      const noFace: Outcome = { kind: "rejected", code: "no_face_detected" };
      if (error === undefined)
        runs.get(name)!.resolve({ results: outcomes.length === 0 ? [noFace] : outcomes });
      else runs.get(name)!.reject(error);
    },
    until: (name: string) =>
      steps.includes(name) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(name, resolve)),
  };
}

function batch(name: string, { digest = "0".repeat(16), waited }: BatchOptions = {}): Batch {
  return {
    id: name,
    lane: "Dlib/ssd",
    digest,
    sentAt: 0,
    predictedRunMs: 10,
    attempt: 1,
    tasks: [{ id: name, arrivedAt: 0, options: { facesMax: 1 }, waited }],
  } as unknown as Batch;
}

function named(worker: Worker): string[] {
  const { running, staged, answering, finished } = worker.read();
  return [
    ...(running === null ? [] : [`running ${running.batch}`]),
    ...staged.map((each) => `staged ${each.batch}`),
    ...answering.map((each) => `answering ${each.batch}`),
    ...finished.map((each) => `finished ${each.batch} ${each.end} ${each.size}`),
  ];
}

type BatchOptions = { digest?: string; waited?: TaskWait };
