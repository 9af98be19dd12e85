import assert from "node:assert/strict";
import { test } from "node:test";
import { parseServerTiming, waterfall } from "./waterfall.ts";

const header =
  'admission;dur=5.00, publish;dur=3.00, hold;dur=0.00, queue;dur=0.05, run;dur=100.00, gather;dur=2.00, unaccounted;dur=0.02, total;dur=110.00, traceparent;desc="00-a-b-01"';

test("the parts follow each other in the order of the call; what took no time is left out", () => {
  const bars = waterfall(header, undefined);
  assert.deepEqual(
    bars.map(({ name, startMs, ms }) => [name, startMs, ms]),
    [
      ["admission", 0, 5],
      ["publish", 5, 3],
      ["run", 8, 100],
      ["gather", 108, 2],
    ],
  );
});

test("what the browser measured beyond the total is the network and the browser", () => {
  const last = waterfall(header, 130).at(-1);
  assert.deepEqual(last, { label: "Network and browser", ms: 20, startMs: 110 });
});

test("an absent header leaves nothing to show", () => {
  assert.deepEqual(waterfall("", 100), []);
});

test("entries without a length are skipped", () => {
  assert.deepEqual(
    parseServerTiming('a;dur=1, cache, b;desc="x";dur=2.5'),
    new Map([
      ["a", 1],
      ["b", 2.5],
    ]),
  );
});
