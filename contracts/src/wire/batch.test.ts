import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchTask, batchTasks } from "./batch.ts";
import { CallTasks } from "./task.ts";

const call = CallTasks.parse({
  requestId: "mine",
  call: "mine/nnnnnnnnnnnnnnnn",
  tenant: "ants",
  lane: "Dlib/ssd",
  ingress: "ingress-0123456789abcdef",
  arrivedAt: 1_800_000_000_000,
  deadlineAt: 1_800_000_010_000,
  options: { align: true, enforceDetection: true, facesMax: 1, fullResolution: false },
  traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
  tasks: ["mine/nnnnnnnnnnnnnnnn/0", "mine/nnnnnnnnnnnnnnnn/1"],
});

test("a task of a batch has every field of its schema, with the values of its call", () => {
  const tasks = batchTasks(call);
  assert.deepEqual(
    tasks.map(({ id }) => id),
    call.tasks,
  );
  for (const { id, ...shared } of tasks) {
    assert.deepEqual(BatchTask.parse({ id, ...shared }), { id, ...shared });
    for (const [name, value] of Object.entries(shared)) assert.equal(value, call[name as keyof CallTasks]);
  }
});
