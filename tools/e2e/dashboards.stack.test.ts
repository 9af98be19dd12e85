// Covers deploy/observe/grafana on a running service.
import assert from "node:assert/strict";
import test from "node:test";
import { portraits } from "@faceline/testing/faces";
import { expressionsOf, panelsOf, readDashboards } from "@faceline/deploy/testing/observe-files";
import { openPrometheus } from "@faceline/deploy/testing/prometheus";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack } from "./stack/stack.ts";

test("after a load run every panel has something to show", async (t) => {
  const { post, operatorsPorts } = await startStack(t, { operators: true, batchers: 2 });
  const prometheus = await openPrometheus(t, { targets: operatorsPorts });
  if (prometheus === undefined)
    return t.skip("NOT CHECKED: there is no Prometheus, nor apt-get to fetch one");
  const [img1, img2] = (await portraits()).map((image) => image.toString("base64"));
  const calls = Array.from({ length: 10 }, () => post("/verify", { img1, img2 }));
  assert.ok((await Promise.all(calls)).every(({ status }) => status === 200));

  const panels = readDashboards()
    .flatMap(panelsOf)
    .filter(({ title }) => !needsOthers.includes(title));
  assert.deepEqual(
    emptyWhenWell.filter((title) => panels.every((panel) => panel.title !== title)),
    [],
  );
  for (const panel of panels.filter(({ title }) => !emptyWhenWell.includes(title))) {
    for (const expression of expressionsOf(panel)) {
      // A rate needs two scrapes.
      await waitUntil(`${panel.title} has a series`, async () => {
        return (await prometheus.query(expression)).length > 0;
      });
    }
  }

  // The one that stands by must not be counted: its gauges of lanes are those of no lane in use.
  const [workers] = await prometheus.query(
    expressionsOf(panels.find(({ title }) => title === "Workers")!)[0]!,
  );
  assert.equal(workers?.value[1], "1");
});

/** Panels of series that the kubelet, or an exporter of machines or GPUs makes. */
const needsOthers = ["GPU utilisation", "GPU memory", "Kafka disk"];

/** Panels that have no series to show while the service is well. */
const emptyWhenWell = [
  "Requests that failed or were refused, by code",
  "Refusals by dependency",
  "Clients that left",
  "Batches sent again",
  "Batches on their way, by partition",
  "Background failures, by work",
];
