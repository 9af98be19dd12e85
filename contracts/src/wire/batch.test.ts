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
  for (const { id, cost, ...shared } of tasks) {
    assert.deepEqual(BatchTask.parse({ id, cost, ...shared }), { id, cost, ...shared });
    for (const [name, value] of Object.entries(shared)) assert.equal(value, call[name as keyof CallTasks]);
  }
});

test("a task keeps its cost when another one of its call has ended, and costs 1 if nothing was said", () => {
  const costsOf = (fields: Partial<CallTasks>) =>
    batchTasks(CallTasks.parse({ ...call, ...fields })).map(({ cost }) => cost);
  assert.deepEqual(costsOf({ costs: [3, 160] }), [3, 160]);
  assert.deepEqual(costsOf({ costs: [3, 160], tasks: call.tasks.slice(1) }), [160]);
  const { costs: _costs, ...old } = call;
  assert.deepEqual(
    batchTasks(CallTasks.parse(old)).map(({ cost }) => cost),
    [1, 1],
  );
  const [{ cost: _cost, ...oldTask }] = batchTasks(call) as [BatchTask];
  assert.equal(BatchTask.parse(oldTask).cost, 1);
});
