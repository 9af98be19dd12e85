// Covers deploy/observe/panels.ts on a running service.
import assert from "node:assert/strict";
import test from "node:test";
import { expressionsOf } from "@faceline/deploy/observe/panels/panel";
import { pages } from "@faceline/deploy/observe/panels";
import { portraits } from "@faceline/testing/faces";
import { openPrometheus } from "@faceline/deploy/testing/prometheus";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { retryOnOverload } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

test("after a load run every panel has something to show", async (t) => {
  const { post, operatorsPorts } = await startStack(t, { operators: true, batchers: 2 });
  const prometheus = await openPrometheus(t, { targets: operatorsPorts });
  if (prometheus === undefined)
    return t.skip("NOT CHECKED: there is no Prometheus, nor apt-get to fetch one");
  const [img1, img2] = (await portraits()).map((picture) => picture.toString("base64"));
  const patiently = retryOnOverload(post);
  const calls = Array.from({ length: 10 }, () =>
    patiently("/verify", { img1, img2, detector_backend: "tiny" }),
  );
  assert.ok((await Promise.all(calls)).every(({ status }) => status === 200));

  for (const { name, rows } of pages) {
    for (const panel of rows.flatMap(({ panels }) => panels)) {
      if (panel.emptyWhenWell === true) continue;
      for (const expression of expressionsOf(panel)) {
        const query = expression
          .replaceAll(/\$(lane|instance)\b/g, ".*")
          .replaceAll("$__rate_interval", "1m");
        // A rate needs two scrapes.
        await waitUntil(`${name}, ${panel.title} has a series`, async () => {
          return (await prometheus.query(query)).length > 0;
        });
      }
    }
  }

  // The one that stands by must not be counted: its gauges of lanes are those of no lane in use.
  const [workers] = await prometheus.query(workersShown);
  assert.equal(workers?.value[1], "1");
});

const workersShown = expressionsOf(
  pages.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels)).find(({ title }) => title === "Workers")!,
)[0]!;
