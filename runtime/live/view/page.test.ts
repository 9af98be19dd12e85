// Covers the sections, tables and charts too, which are parts of the page.
import assert from "node:assert/strict";
import test from "node:test";
import type { LivePart } from "../state.ts";
import {
  batcher,
  caller,
  count,
  inference,
  ingress,
  lane,
  series,
  stateOf,
  worker,
  workerLane,
} from "../testing/states.ts";
import { textOf, type ViewNode } from "./node.ts";
import { linkWords, pageView, subjectOf } from "./page.ts";

const textOfPage = (part: LivePart): string => textOf(pageView(stateOf(part))).replaceAll(/\s+/g, " ");

function shows(part: LivePart, ...words: string[]): void {
  const text = textOfPage(part);
  for (const each of words) assert.ok(text.includes(each), `"${each}" is missing in\n${text}`);
}

test("a lane says what its tasks wait for, in words", () => {
  const waiting = (wait: Parameters<typeof lane>[0]) =>
    batcher({ lanes: [lane({ waiting: 2, oldestMs: 34.6, ...wait })] });
  shows(
    waiting({ wait: { kind: "held", floor: 4, holdMaxMs: 8.2 } }),
    "Held now because 2 tasks are fewer than the 4 that keep up with the arrivals: for 8.2 ms at most.",
    "Oldest task now 35 ms",
  );
  shows(waiting({ wait: { kind: "staging", sendInMs: 12 } }), "It is sent in 12 ms");
  shows(
    waiting({ wait: { kind: "all_busy", freeInMs: 61 } }),
    "every worker has one batch running and one behind it",
  );
  shows(
    waiting({ waiting: 1, wait: { kind: "no_worker" } }),
    "1 task waits, and no worker of this lane is in service.",
  );
});

test("a lane shows its batches by size and reason, and how its times were learned and predicted", () => {
  shows(
    batcher(),
    "Past 5 min: 45 batches, 29 tasks on average",
    "3 to 4 5 11 %",
    "17 to 32 40 89 %",
    "floor large enough to keep up with the arrivals 200 20",
    "A run takes 40 ms + 2 ms for each task, padding included. Predictions are off by 1.5 ms on average.",
    "4 48 ms 49 ms 2",
    "Half of the last 2 ended within 10 ms of the prediction; the worst 10 ms early.",
    "inference …e158 1 × 2 1 runs a batch 14 tasks of Dlib/ssd, 25 ms left 1 40 ms ago",
  );
  shows(batcher({ workers: [worker({ runRatio: 1.84, isSlow: true })] }), "e158 SLOW: 1.8 × 2 1");
  shows(batcher({ workers: [worker({ runRatio: null })] }), "e158 – 2 1");
});

test("what is now, what is a target and what is past have words of their own", () => {
  const targetOfOne = lane({ usefulSize: 1, floor: 1, sizes: [{ size: 2, batches: 60 }] });
  shows(
    batcher({ lanes: [targetOfOne] }),
    "Target now: at most 1 task. Larger batches would not finish more tasks per second.",
    "Past 5 min: 60 batches, 2 tasks on average",
  );
  for (const part of [
    batcher({ shed: { ...batcher().shed, early_drop: count(1) } }),
    ingress(),
    inference(),
  ]) {
    assert.doesNotMatch(textOfPage(part), /(?<!past )\b(5 min|10 s)\b/i);
  }
});

test("a batcher says so where workers have loaded several builds of a lane, and why", () => {
  const shown = (fields: Partial<ReturnType<typeof workerLane>>, cause: string) => {
    const other = worker({ lanes: [workerLane({ digest: "11112222333344445", ...fields })] });
    const words = `Several builds of Dlib/ssd, ${cause}: d582a241 on 2 workers, 11112222 on 1 worker.`;
    shows(batcher({ workers: [worker(), worker(), other] }), words);
  };
  shown({}, "as in a rollout that is half done");
  shown(
    { networks: [{ model: "ssd", precision: "float32", fallback: true }] },
    "because int8 is not exact on every CPU (ssd)",
  );
  shown({ executionProvider: "cuda" }, "because workers run it in other precisions or on other devices");
  assert.doesNotMatch(textOfPage(batcher({ workers: [worker(), worker()] })), /Several builds/);
});

test("a lane without calls takes little room, and an unknown reason none at all", () => {
  const idle = lane({ sizes: [], waiting: 0 });
  shows(batcher({ lanes: [idle] }), "No task waits.", "No batch in the past 5 min. A run takes 40 ms");
  assert.doesNotMatch(textOfPage(batcher({ lanes: [idle] })), /Sizes of batches|slack/);
});

test("why tasks were refused is shown where some were, the most frequent reason first", () => {
  const shed = { queue_too_long: count(1, 20), deadline_infeasible: count(3, 70), early_drop: count(0) };
  shows(
    batcher({ shed }),
    "deadline_infeasible could not be answered before its deadline 70 3 queue_too_long",
  );
  assert.doesNotMatch(textOfPage(batcher()), /Why tasks were refused/);
});

test("a standby shows the workers whose reports it receives, and no lanes", () => {
  const standby = batcher({ role: "standby" });
  shows(standby, "Standby Another batcher holds the tasks of pool default", "inference …e158");
  assert.doesNotMatch(textOfPage(standby), /Lane Dlib/);
});

test("a batcher shows its settings, a standby too", () => {
  const words = ["Largest batch loaded 8 tasks", "UTILISATION_TARGET 0.85", "2,048 tasks"];
  shows(batcher(), ...words);
  shows(batcher({ role: "standby" }), ...words);
});

test("an ingress shows where the time goes, how requests ended, its limits and its pools", () => {
  shows(
    ingress(),
    "queue waits for a worker 30 ms 33 %",
    "run the models run 60 ms 67 %",
    "Median time of answered requests 88 ms 99 % within 240 ms",
    "ok Answered. 900 100",
    "Bodies of requests in memory 256 MiB 512 MiB",
    "default Dlib/ssd 2 4 tasks 35 ms",
  );
  assert.doesNotMatch(textOfPage(ingress()), /retry/);
  shows(ingress({ pools: [{ pool: "gpu", lanes: null }] }), "gpu no batcher publishes its state");
});

test("an ingress shows who calls: the loudest teams, requests without a key, and all others", () => {
  shows(
    ingress(),
    "Team Share, past 10 s",
    "ants 90 % 90 850 8 20 1 MiB 300 MiB 3",
    "all others 10 % 10 50 2 2",
  );
  const loudest = [caller("~keyless"), caller("~visitors", { inFlight: 1 })];
  shows(
    ingress({ callers: { loudest, others: caller("~others") } }),
    "no valid key 0 %",
    "visitors of the tester",
  );
  const nobody = { loudest: [], others: caller("~others", { bytes: count(0) }) };
  shows(ingress({ callers: nobody }), "No request in the past 5 min.");
});

test("a worker shows what runs, its last runs, and in which precision", () => {
  shows(
    inference(),
    "Runs 3 tasks of Dlib/ssd for 12 ms, 20 ms left; 1 batch behind it, 0 batches being answered.",
    "Busy with runs 50 %",
    "3 1 11 ms 47 ms",
    "Dlib int8, ssd float32 (slower: int8 is not exact on this CPU)",
  );
  shows(inference({ running: null, staged: 0, lanes: [] }), "Waits for a batch.", "No lane is loaded yet.");
  shows(inference({ running: null, staged: 0, partitions: 0 }), "Waits for a partition");
});

test("the numbers of a chart lie in its box, and no number of it is wider than a pixel's hundredth", () => {
  const far = lane({ predictions: [{ predictedMs: 1, realMs: 100_000 }], sent: series(1e6) });
  const charts = elements(pageView(stateOf(batcher({ lanes: [far] }))), "svg");
  assert.ok(charts.length > 5);
  for (const chart of charts) {
    const [, , width, height] = chart.attributes["viewBox"]!.split(" ").map(Number);
    for (const circle of elements(chart, "circle")) {
      const [x, y] = [Number(circle.attributes["cx"]), Number(circle.attributes["cy"])];
      assert.ok(x >= 0 && x <= width! && y >= 0 && y <= height!, `${x},${y}`);
    }
    assert.doesNotMatch(JSON.stringify(chart), /NaN|Infinity|\d\.\d{3}/);
  }
});

test("every chart is described, or stands beside its numbers in a table", () => {
  for (const part of [batcher(), ingress(), inference()]) {
    for (const { attributes } of elements(pageView(stateOf(part)), "svg")) {
      const isDescribed = attributes["role"] === "img" && (attributes["aria-label"] ?? "").length > 20;
      assert.ok(isDescribed || attributes["aria-hidden"] === "true", JSON.stringify(attributes));
    }
  }
});

test("only the title of the status is read out when it changes", () => {
  const live = elements(pageView(stateOf(batcher())), "p").slice(0, 1);
  assert.deepEqual(
    live.map(({ attributes }) => attributes["role"]),
    ["status"],
  );
  const all = JSON.stringify(pageView(stateOf(batcher())));
  assert.equal(all.match(/"role":"(status|alert|log)"|aria-live/g)?.length, 1);
});

test("a page names its process, and says when what it shows is old", () => {
  assert.equal(subjectOf(batcher()), "batcher of pool default");
  assert.equal(subjectOf(ingress()), "ingress");
  assert.deepEqual(linkWords({ kind: "live", restarted: false }), { badge: "live", isStale: false });
  assert.deepEqual(linkWords({ kind: "late", silentMs: 2_600 }), {
    badge: "last response 2.6 s ago",
    isStale: true,
  });
  const gone = linkWords({ kind: "gone", silentMs: 7_000 });
  assert.deepEqual([gone.badge, gone.isStale], ["gone", true]);
  assert.match(gone.notice!, /^This process does not answer\. What is shown is 7 s old\./);
});

function elements(shown: ViewNode, tag: string): ViewNode[] {
  const below = shown.children.flatMap((child) => (typeof child === "string" ? [] : elements(child, tag)));
  return shown.tag === tag ? [shown, ...below] : below;
}
