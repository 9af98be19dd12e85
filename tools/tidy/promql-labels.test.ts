import assert from "node:assert/strict";
import test from "node:test";
import { labelsOfExpression } from "./promql-labels.ts";

const labels = (expression: string): string[] => [...labelsOfExpression(expression).labels].toSorted();

test("an expression has the labels of its metrics, as far as it keeps them", () => {
  assert.deepEqual(labels("faceline_workers"), ["instance", "job", "lane"]);
  assert.deepEqual(labels("sum by (lane) (faceline_workers)"), ["lane"]);
  assert.deepEqual(labels("sum without (lane, job) (faceline_workers)"), ["instance"]);
  assert.deepEqual(labels("sum(faceline_workers)"), []);
  const queue = "rate(faceline_queue_duration_seconds_bucket[1m])";
  assert.deepEqual(labels(`histogram_quantile(0.9, sum by (le, lane) (${queue}))`), ["lane"]);
  assert.deepEqual(
    labels('label_replace(max by (lane) (faceline_workers) * 2, "size", "2", "", "") or vector(0)'),
    ["lane", "size"],
  );
  assert.deepEqual(
    [...labelsOfExpression("faceline_workers / sum(faceline_queue_tasks)").metrics],
    ["faceline.workers", "faceline.queue.tasks"],
  );
});

test("a selector that fits any job is named, but for series of others", () => {
  const { anyJob } = labelsOfExpression(
    'faceline_workers + faceline_workers{job=~"faceline.*"} + {job="a"} + up',
  );
  assert.deepEqual(anyJob, ["faceline_workers", '{job="a"}']);
});

test("an expression is refused that has a wrong syntax, or a series or label that does not exist", () => {
  const wrong: [string, RegExp][] = [
    ["sum by lane) (faceline_workers)", /^syntax error at column 8 /],
    ["rate(faceline_workers[$__rate_interval])", /^syntax error/],
    ["faceline_lorries", /^no metric has the series faceline_lorries/],
    ["faceline_batches", /^no metric has the series/],
    ["faceline_batch_size", /^no metric has the series/],
    ['faceline_workers{reason="full"}', /^no series has the label reason/],
    ["sum by (reason) (faceline_workers)", /^no series has the label reason/],
    ["histogram_quantile(0.9, sum(rate(faceline_batch_size_bucket[1m])))", /^no series has the label le/],
    ['label_replace(faceline_workers, "a", "$1", "b", "(.*)")', /^no series has the label b/],
    ["faceline_workers / on (bucket) faceline_queue_tasks", /^no series has the label bucket/],
  ];
  for (const [expression, message] of wrong) {
    assert.throws(() => labelsOfExpression(expression), { message }, expression);
  }
});
