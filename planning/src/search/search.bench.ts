import { newProfile, newTrace } from "../../testing/fixtures.ts";
import { workOfCalls } from "../profile/load.ts";
import { PredictionThreads } from "./prediction-threads.ts";
import { search } from "./search.ts";
import { settingsOf } from "./settings-grid.ts";
import { planScopes } from "./windows.ts";

// How long a plan takes: the search of `npm run plan -- run` over bursts of calls with one picture, on a
// modelled machine of 20 + 2b ms, without what-ifs. Prints a line of Markdown. What it takes of memory beyond
// the trace must not grow with the calls: compare 1,000,000 with 3,000,000.
//
//     node planning/src/search/search.bench.ts [calls]

const calls = Number(process.argv[2] ?? 1_000_000);
const perSecond = 600;

const profile = newProfile();
const [lane] = profile.lanes as [(typeof profile.lanes)[number]];
lane.runs = [1, 2, 4, 8, 16, 32].map((size) => ({
  size,
  ms: [0.9, 1, 1.1].map((factor) => factor * (20 + 2 * size)),
}));
// A few more than were asked for: how many calls bursts have is random.
const trace = newTrace({
  shape: "bursts",
  perSecond,
  seconds: (1.05 * calls) / perSecond,
  tenants: 5,
  pictures: 1,
});
const work = workOfCalls(trace, profile);
const load = work.reduce((sum, ms) => sum + ms, 0) / trace.durationMs;
const scopes = planScopes(trace, work);
const target = { p99: 300, shed: 0.001, late: 0.0001 };
const choices = { utilisationTargets: [0.7, 0.85, 0.95], deadlinesMs: [undefined] };

const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
await using threads = new PredictionThreads(trace, profile);
const { winner, tried } = await search({
  workersMin: Math.max(1, Math.floor(load)),
  workersMax: 16,
  settingsOf: (workers) => settingsOf(workers, profile, choices),
  evaluate: (settings, scope) => threads.predict(settings, { parts: scopes[scope], target }),
});
const seconds = (performance.now() - startedAt) / 1_000;
const peakMiB = process.resourceUsage().maxRSS / 1_024;
const traceMiB =
  Object.values(trace.columns).reduce((sum, each) => sum + ("byteLength" in each ? each.byteLength : 0), 0) /
  2 ** 20;
const { user, system } = process.cpuUsage(cpuBefore);
const simulated = tried.reduce((sum, { prediction }) => sum + prediction.calls, 0);
const cells = [
  trace.calls,
  tried.filter(({ scope }) => scope === "windows").length,
  tried.filter(({ scope }) => scope === "all calls").length,
  simulated,
  seconds.toFixed(1),
  ((user + system) / 1e6).toFixed(1),
  ((user + system) / simulated).toFixed(1),
  peakMiB.toFixed(0),
  traceMiB.toFixed(0),
  (peakMiB - traceMiB).toFixed(0),
  winner === undefined ? "none" : JSON.stringify(winner.settings),
];
console.log(
  "| calls | settings | on all calls | simulated calls | s | CPU s | CPU µs a call | peak MiB | trace MiB | beyond it | winner |",
);
console.log(`|${"---|".repeat(cells.length)}`);
console.log(`| ${cells.join(" | ")} |`);
