import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { LaneRunMeans } from "./run-means.ts";

test("runs of each lane and size have a mean of their own", () => {
  const [ssd, tiny] = [LaneId.parse("Dlib/ssd"), LaneId.parse("Dlib/tiny")];
  const means = new LaneRunMeans();
  assert.deepEqual(means.byLane(), {});
  means.add(ssd, 2, 10);
  means.add(ssd, 2, 30);
  means.add(ssd, 4, 50);
  means.add(tiny, 2, 5);
  assert.deepEqual(means.byLane(), { [ssd]: { 2: 20, 4: 50 }, [tiny]: { 2: 5 } });
});
