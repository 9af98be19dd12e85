import assert from "node:assert/strict";
import test from "node:test";
import { laneId } from "@faceline/contracts/wire/ids";
import { planLoad, stayMs } from "./load-plan.ts";

const lane = (text: string) => laneId(text.split("/")[0]!, text.split("/")[1]!);
/** Each model and each detector of 10 bytes, once for all lanes. */
const bytesOf = (lanes: readonly string[]) => 10 * new Set(lanes.flatMap((each) => each.split("/"))).size;
const used = (...names: string[]) =>
  names.map((name, index) => ({ lane: lane(name), loadedAt: 100 * index, usedAt: 1_000 - index }));

test("nothing leaves while the memory suffices", () => {
  const plan = planLoad(lane("A/x"), used("B/y"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan, { unloads: [], at: Number.NEGATIVE_INFINITY });
});

test("the lane whose use is longest ago leaves, and not before it has stayed for a while", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan, { unloads: ["C/z"], at: 100 + stayMs });
});

test("a lane that shares its models with those that stay is not unloaded: that would free nothing", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z", "B/x"), { bytesOf, bytesMax: 40 });
  assert.deepEqual(plan.unloads, ["C/z"]);
});

test("where one lane alone fills the memory, all others leave", () => {
  const plan = planLoad(lane("A/x"), used("B/y", "C/z"), { bytesOf, bytesMax: 20 });
  assert.deepEqual(plan.unloads, ["B/y", "C/z"]);
});
