import assert from "node:assert/strict";
import test from "node:test";
import { EventQueue } from "@faceline/simulation/event-queue";
import { Random } from "@faceline/simulation/random";
import { MachineMoments } from "./machine-moments.ts";

test("waits that begin at one moment have one place, and those of other moments any", () => {
  const events = new EventQueue(0);
  const moments = new MachineMoments(events, new Random(1));
  const shares: number[] = [];
  for (let ms = 0; ms < 100_000; ms++) {
    events.after(ms, () => {
      shares.push(moments.share());
      assert.equal(moments.share(), shares.at(-1));
    });
  }
  while (events.runNext(200_000));
  const changes = shares.filter((share, index) => share !== shares[index - 1]).length;
  // 35 ms and a half in the mean, seen once a ms.
  assert.ok(Math.abs(100_000 / changes - 35.5) < 2, `${100_000 / changes}`);
  const below = (limit: number) => shares.filter((share) => share < limit).length / shares.length;
  for (const share of [0.1, 0.5, 0.9]) assert.ok(Math.abs(below(share) - share) < 0.03, `${below(share)}`);
});
