import assert from "node:assert/strict";
import test from "node:test";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import { completeTasks, type ReceivedBatch } from "./completed-tasks.ts";

const build: LaneBuild = { digest: "0".repeat(16), modelVersion: "0".repeat(12), precision: "float32" };
const noFace: Outcome = { kind: "rejected", code: "no_face_detected" };
const lost: Outcome = { kind: "failed", reason: "image_lost" };
const faces: Outcome = { kind: "faces", faces: [] };

test("each task has the result of its own image, or why it has none", () => {
  const [a, b, c] = [taskOf("a"), taskOf("b"), taskOf("c")];
  const prepared = { tasks: [a, c], completed: [{ task: b, outcome: lost }], startedAt: 0, endedAt: 0 };
  const run = { results: [noFace, faces], build, startedAt: 0, ranAt: 30 };
  assert.deepEqual(
    completeTasks(batchOf([a, b, c]), prepared, run).map((end) => [
      end.task.id,
      end.outcome,
      end.build,
      end.ranAt,
    ]),
    [
      ["b", lost, build, 30],
      ["a", noFace, build, 30],
      ["c", faces, build, 30],
    ],
  );
});

const taskOf = (id: string): BatchTask => ({ id }) as unknown as BatchTask;

const batchOf = (tasks: BatchTask[]): ReceivedBatch =>
  ({ id: "1", sentAt: 100, receivedAt: 104, tasks }) as unknown as ReceivedBatch;
