// Covers tables.ts, plots.ts and words.ts too.
import assert from "node:assert/strict";
import test from "node:test";
import { newPlan, newPrediction, newTried } from "../testing/fixtures.ts";
import { planPage } from "./page.ts";
import type { Plan } from "./plan.ts";

test("the answer comes first, then how to set it, and every plot has a table beside it", async () => {
  const html = await mainOf(newPlan(), "plan.json");
  const order = [
    "3 workers, BATCH_MAX 8 and UTILISATION_TARGET 0.85 are the cheapest settings that meet p99 &lt; 300 ms",
    "npm run plan -- apply plan.json",
    "BATCH_MAX=8",
    "Beside the default settings",
    "With the default settings p99 &lt; 300 ms, shed &lt; 0.1 % needs 5 workers.",
    "Cost and p99",
    "What if",
    "p99 by batch size",
    "The traffic",
    "what is assumed",
    "How it was searched",
    "Made on 2 Jan 2026, 00:00 UTC",
  ];
  const places = order.map((words) => html.indexOf(words));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok(!places.includes(-1), `missing: ${order.filter((words) => !html.includes(words)).join(", ")}`);
  assert.equal(html.match(/<figure>/g)?.length, 3);
  assert.equal(html.match(/<\/figure><div class="wide" tabindex="0"><table>/g)?.length, 3);
});

test("the page is a whole document: every element is closed, ids are unique, cells match their heads", async () => {
  for (const plan of [newPlan(), unmetPlan()]) {
    const html = await mainOf(plan, "plan.json");
    assertBalanced(html);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const [, head, body] of html.matchAll(/<thead>(.*?)<\/thead>\s*<tbody>(.*?)<\/tbody>/gs)) {
      const columns = head!.match(/<t[hd][ >]/g)?.length;
      for (const row of body!.match(/<tr>.*?<\/tr>/gs) ?? []) {
        assert.equal(row.match(/<t[hd][ >]/g)?.length, columns, row);
      }
    }
  }
});

test("the page needs nothing from elsewhere, runs nothing, and is small also for a long trace", async () => {
  const slots = Array.from({ length: 200 }, (_, slot) => 12_345.678 + slot);
  const tried = Array.from({ length: 400 }, (_, index) =>
    newTried({ workers: 1 + (index >> 5), batchMax: 2 ** (index % 8) }),
  );
  const traffic = { ...newPlan().traffic, slots };
  const html = await mainOf(newPlan({ traffic, tried }), "plan.json");
  assert.doesNotMatch(html, /<script|\bon\w+=|<link|<img|@import|url\(|javascript:/i);
  const addresses = [...html.matchAll(/https?:\/\/[^"'<\s]+/g)].map(([address]) => address);
  assert.deepEqual(new Set(addresses), new Set(["http://www.w3.org/2000/svg"]));
  assert.ok(html.length <= 300_000, `${html.length} bytes`);
});

test("a name from outside is text, not markup", async () => {
  const html = await mainOf(newPlan({ source: "<img src=x>.jsonl" }), "<b>.json");
  assert.doesNotMatch(html, /<img|<b>/);
  assert.match(html, /&lt;img src=x&gt;\.jsonl/);
});

test("where the target cannot be met, the page says what can be had and plots no front", async () => {
  const html = await mainOf(unmetPlan(), "plan.json");
  assert.match(html, /No settings up to 4 workers meet p99 &lt; 300 ms/);
  assert.match(html, /4 workers, BATCH_MAX 8 and UTILISATION_TARGET 0\.85 hold p99 &lt; 420 ms/);
  assert.match(html, /With 6 workers the target itself holds: --workers-max 6/);
  assert.doesNotMatch(html, /Cost and p99|plan -- apply/);
});

test("settings that miss the target are hollow points, and the best of each batch size is drawn", async () => {
  const missed = newTried({ workers: 2, batchMax: 4 }, { p99Ms: 900, missed: ["p99"] });
  const worse = newTried({ workers: 2, batchMax: 8, utilisationTarget: 0.7 }, { p99Ms: 250 });
  const better = newTried({ workers: 2, batchMax: 8 }, { p99Ms: 200 });
  const html = await mainOf(newPlan({ tried: [missed, worse, better] }), "plan.json");
  const titles = [...html.matchAll(/<circle[^>]*fill="([^"]+)"[^>]*><title>([^<]*)/g)].map(
    ([, fill, title]) => `${fill} ${title}`,
  );
  assert.ok(titles.some((each) => /--plot-ground.*BATCH_MAX 4.*p99 900 ms, misses p99/.test(each)));
  assert.ok(titles.some((each) => /--plot-1.*BATCH_MAX 8.*0\.85: p99 200 ms$/.test(each)));
  assert.ok(!titles.some((each) => each.includes("UTILISATION_TARGET 0.7")));
});

/** What a page shows: all but its head and the mark. */
async function mainOf(plan: Plan, planFile: string): Promise<string> {
  const [, main = ""] = /<main>(.*)<\/main>/s.exec(await planPage(plan, planFile)) ?? [];
  return main;
}

function unmetPlan(): Plan {
  const { settings } = newTried({ workers: 4, batchMax: 8 });
  return newPlan({
    winner: undefined,
    tried: [1, 4].map((workers) => newTried({ workers, batchMax: 8 }, { missed: ["p99"], p99Ms: 430 })),
    whatIfs: [],
    defaults: undefined,
    unmet: {
      nearest: { settings, prediction: newPrediction({ p99Ms: 415 }), target: { p99: 420, shed: 0.001 } },
      more: newTried({ workers: 6, batchMax: 8 }, {}, "all requests"),
      workersTried: 16,
    },
  });
}

/** Throws where an element is closed that is not the innermost open one, or is left open. */
function assertBalanced(html: string): void {
  const open: string[] = [];
  for (const [tag, closing, name, selfClosing] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/gi)) {
    if (closing === "/") assert.equal(open.pop(), name, tag);
    else if (selfClosing !== "/") open.push(name!);
  }
  assert.deepEqual(open, []);
}

test("a plan for several machines says how many, and has no npm start", async () => {
  const html = await mainOf(
    newPlan({ machine: { ...newPlan().machine, workersPerMachine: 2 } }),
    "plan.json",
  );
  assert.match(html, /3 workers, on 2 machines of 2 workers, as the calibrated one/);
  assert.doesNotMatch(html, /npm start -- --workers/);
  assert.ok(html.indexOf("First, the machines") < html.indexOf("plan -- apply"));
});
