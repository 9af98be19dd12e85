import assert from "node:assert/strict";
import test from "node:test";
import { LatencyHistogram } from "./latency-histogram.ts";

test("quantiles are those of the sorted times to within 0.04%, from hundredths of a ms to minutes", () => {
  const histogram = new LatencyHistogram();
  const times = Array.from({ length: 10_000 }, (_, index) => 0.02 * 1.0015 ** index);
  for (const ms of times.toReversed()) histogram.add(ms);
  for (const share of [0, 0.01, 0.5, 0.99, 1]) {
    const exact = times[Math.min(times.length - 1, Math.floor(share * times.length))]!;
    assert.ok(Math.abs(histogram.quantile(share) / exact - 1) < 0.0004, `${share}: ${exact}`);
  }
});

test("without times there is no quantile, and the shortest and longest stay in the first and last bucket", () => {
  const histogram = new LatencyHistogram();
  assert.equal(histogram.quantile(0.5), 0);
  histogram.add(0);
  histogram.add(1e9);
  const [least, most] = [histogram.quantile(0), histogram.quantile(1)];
  assert.ok(least < 0.0101 && most > 167_000 && most < 168_000, `${least} to ${most}`);
});
