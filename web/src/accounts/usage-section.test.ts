// Covers ./usage-section.ts, ./usage-plot.ts and ./errors-section.ts.
import assert from "node:assert/strict";
import test from "node:test";
import { lastDays } from "@faceline/accounts/usage/days";
import type { DayUsage, UsageCount } from "@faceline/accounts/usage/read-usage";
import { errorsSection } from "./errors-section.ts";
import { usageSection } from "./usage-section.ts";

const now = Date.UTC(2026, 10, 22, 12);
const emptyDays: DayUsage[] = lastDays(now, 30).map((day) => ({ day, counts: [] }));
const verify = (outcome: UsageCount["outcome"], calls: number): UsageCount => ({
  endpoint: "/verify",
  outcome,
  calls,
});
const days: DayUsage[] = [
  ...emptyDays.slice(0, -2),
  { day: "2026-11-21", counts: [{ endpoint: "/compare", outcome: "rate_limited", calls: 4 }] },
  { day: "2026-11-22", counts: [verify("ok", 1_200), verify("queue_full", 2), verify("client_left", 1)] },
];

test("usage has a plot with a bar for each day and endpoint, a sum, and the same numbers as a table", () => {
  const section = usageSection({ days, reader: "member" });
  assert.match(
    textOf(section),
    /1,207 requests in the last 30 days: 1,200 answered, 4 refused \(4xx\), 2 failed \(5xx\), 1 cancelled/,
  );
  const [wide = "", narrow = ""] = section.match(/<svg[^]*?<\/svg>/g) ?? [];
  const tooltips = Array.from(wide.matchAll(/<rect[^>]*><title>([^<]*)</g), ([, tooltip]) => tooltip);
  assert.deepEqual(tooltips, ["21 Nov, /compare: 4", "22 Nov, /verify: 1,203"]);
  assert.match(narrow, /last 14 days[^]*22 Nov, \/verify: 1,203</);
  const rows = Array.from(section.matchAll(/<tr[^>]*><th scope="row".*?<\/tr>/g), ([row]) =>
    textOf(row).split(" "),
  );
  assert.deepEqual(rows, [
    ["2026-11-22", "0", "1,203", "1,203", "3"],
    ["2026-11-21", "4", "0", "4", "4"],
  ]);
});

test("parts of a bar stand on each other, on an axis with round values", () => {
  const counts = [verify("ok", 50), { ...verify("ok", 25), endpoint: "/compare" }];
  const section = usageSection({ days: [{ day: "2026-11-22", counts }], reader: "member" });
  const [wide = ""] = section.match(/<svg[^]*?<\/svg>/) ?? [];
  const parts = Array.from(
    wide.matchAll(/ y="([\d.]+)"[^>]* height="([\d.]+)"[^>]*><title>(\S+ \S+ \S+)/g),
    (part) => part.slice(1),
  );
  // 188 px for 75, from 264 upwards.
  assert.deepEqual(parts, [
    ["201.3", "62.7", "22 Nov, /compare:"],
    ["76", "125.3", "22 Nov, /verify:"],
  ]);
  const ticks = Array.from(wide.matchAll(/text-anchor="end"[^>]*>([\d,]+)</g), ([, tick]) => tick);
  assert.deepEqual(ticks, ["0", "20", "40", "60"]);
});

test("the drawing brings no style of its own, which the policy of the pages would block", () => {
  assert.doesNotMatch(usageSection({ days, reader: "member" }), /<style|style="/);
});

test("a team without calls reads how to make one", () => {
  assert.match(
    usageSection({ days: emptyDays, reader: "member" }),
    /No requests in the last\s+30 days\..*quick-start/s,
  );
  assert.match(
    errorsSection({ errors: [], days: emptyDays, keys: [], reader: "member" }),
    /No request has failed/,
  );
});

test("an operator reads nothing that is meant for the members of a team", () => {
  const empty = usageSection({ days: emptyDays, reader: "operator" });
  assert.match(empty, /No requests in the last\s+30 days\./);
  assert.doesNotMatch(empty, /quick-start/);
  const newest = [{ at: now, endpoint: "/verify", requestId: "a" }];
  const errors = [{ code: "queue_full" as const, newest }];
  const [own, theirs] = (["operator", "member"] as const).map((reader) =>
    errorsSection({ errors, days, keys: [], reader }),
  );
  assert.match(theirs!, /ask the operator/);
  assert.doesNotMatch(own!, /ask the operator/);
  assert.match(own!, /[Ss]earch the log of the ingress/);
});

test("an error has its entry of the guide, what to do next, and the keys and ids of its newest calls", () => {
  const newest = [
    { at: now, endpoint: "/verify", requestId: "<id>", keyId: "key-1" },
    { at: now - 1, endpoint: "/compare", requestId: "older" },
  ];
  const keys = [{ id: "key-1", name: "<laptop>" }];
  const section = errorsSection({ errors: [{ code: "queue_full", newest }], days, keys, reader: "member" });
  for (const expected of [
    'href="/docs/errors#queue_full"',
    ">503<",
    "Wait for <code>Retry-After</code> seconds.",
    ">2</data> in 30 days",
    "2026-11-22 12:00 UTC",
    ">&#60;laptop&#62;</div>",
    "><code>&#60;id&#62;</code>",
    ">–</div>",
  ]) {
    assert.ok(section.includes(expected), expected);
  }
});

const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
