import assert from "node:assert/strict";
import test from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { laneStayMs } from "@faceline/contracts/wire/report";
import { type LaneUse, planLoad, stillRecent } from "./load-plan.ts";

const lane = (text: string) => laneId(text.split("/")[0]!, text.split("/")[1]!);
/** Each model and each detector of 10 bytes, once for all lanes. */
const bytesOf = (lanes: readonly string[]) => 10 * new Set(lanes.flatMap((each) => each.split("/"))).size;
const used = (...names: string[]) =>
  names.map((name, index) => ({
    lane: lane(name),
    loadedAt: 100 * index,
    usedAt: 1_000 - index,
    recentTasks: 10,
  }));

test("nothing leaves while the memory suffices", () => {
  const plan = planLoad(lane("A/x"), used("B/y"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan, { unloads: [], at: Number.NEGATIVE_INFINITY });
});

test("of lanes with as much use the one whose last use is longest ago leaves, and not before it has stayed for a while", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan, { unloads: ["C/z"], at: 100 + laneStayMs });
});

test("a rare lane leaves rather than a busy one, although it was used last", () => {
  const [busy, rare] = used("B/y", "C/z") as [LaneUse, LaneUse];
  const loaded = [
    { ...busy, recentTasks: 200 },
    { ...rare, recentTasks: 1, usedAt: 2_000 },
  ];
  assert.deepEqual(planLoad(lane("A/x"), loaded, { bytesOf, bytesMax: 40 }).unloads, ["C/z"]);
});

test("tasks count less the longer ago they were", () => {
  assert.equal(stillRecent(10, 0), 10);
  assert.ok(stillRecent(10, 30_000) < 4 && stillRecent(10, 30_000) > 3);
});

test("a lane that shares its models with those that stay is not unloaded: that would free nothing", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z", "B/x"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan.unloads, ["C/z"]);
});

test("where one lane alone fills the memory, all others leave", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z"), { bytesOf, bytesMax: 20 });
  assert.deepEqual(plan.unloads, ["B/y", "C/z"]);
});
