import assert from "node:assert/strict";
import test from "node:test";
import { newPrediction, newProfile, newTrace } from "../testing/fixtures.ts";
import { Trace } from "../trace/trace.ts";
import type { MeasuredCalls } from "../trace/measured-calls.ts";
import { errorBand } from "./error-band.ts";
import type { PoolSettings } from "./predict.ts";

const settings = { workers: 2, batchMax: 6, utilisationTarget: 0.85 };
const measured = { p50Ms: 100, p99Ms: 400, serviceMs: [10, 10] };

async function bandOf(times: MeasuredCalls | undefined) {
  const asked: PoolSettings[] = [];
  const band = await errorBand(
    new Trace({ ...newTrace().columns, measured: times }),
    newProfile(),
    async (each) => {
      asked.push(each);
      return newPrediction({ p50Ms: 95, p99Ms: 200 });
    },
  );
  return { asked, band };
}

test("the band is as wide as the prediction of the recorded calls is off, and not narrower than its least", async () => {
  const { band, asked } = await bandOf({ ...measured, settings });
  assert.deepEqual([band.p50, band.p99], [1.2, 2]);
  assert.deepEqual(asked, [{ ...settings, batchMax: 4 }], "the largest calibrated size of those in force");
});

test("without measured calls or settings nothing is compared, and the band is wide", async () => {
  for (const times of [undefined, measured]) {
    const { band, asked } = await bandOf(times);
    assert.deepEqual([band.p50, band.p99, band.compared, asked.length], [2, 2, undefined, 0]);
  }
});
