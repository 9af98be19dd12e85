import assert from "node:assert/strict";
import test from "node:test";
import { lastDays } from "@faceline/accounts/usage/days";
import type { TeamUsage } from "@faceline/accounts/usage/read-usage";
import { usagePage } from "./admin-usage-page.ts";

const days = lastDays(Date.UTC(2026, 10, 22), 30).map((day) => ({ day, counts: [] }));

test("teams are listed with their share of all requests, and callers without a team beside them", () => {
  const { content } = usagePage({
    days,
    teams: [
      usage("ants", 1_500, { refused: 20, failed: 3, left: 1 }),
      usage("~visitors", 499),
      usage("~keyless", 1),
    ],
  });
  assert.deepEqual(rowsOf(content), [
    ["ants", "1,500", "75.0%", "20", "3", "1"],
    ["Visitors of the tester", "499", "24.9%", "0", "0", "0"],
    ["Without a valid key", "1", "&#60; 0.1%", "0", "0", "0"],
  ]);
  assert.match(content, /<a href="\/admin\/teams\/ants">/);
  assert.doesNotMatch(content, /not shown|teams\/~/);
});

test("of many teams those with most calls are shown, and what is left out is counted", () => {
  const teams = Array.from({ length: 103 }, (_, i) => usage(`team-${i}`, 200 - i));
  const { content } = usagePage({ days, teams: [...teams, usage("~visitors", 1)] });
  const names = rowsOf(content).map(([name]) => name);
  assert.deepEqual(
    [names.length, names[0], names[99], names[100]],
    [101, "team-0", "team-99", "Visitors of the tester"],
  );
  assert.match(content, /3 more\s+teams are not shown, with 297 requests together/);
});

test("without a call there is no table of teams", () => {
  const { content } = usagePage({ days, teams: [] });
  assert.match(content, /No requests in the last\s+30 days/);
  assert.doesNotMatch(content, /By team/);
});

function usage(team: string, calls: number, kinds: Partial<TeamUsage> = {}): TeamUsage {
  const { refused = 0, failed = 0, left = 0 } = kinds;
  return { team, calls, answered: calls - refused - failed - left, refused, failed, left };
}

/** The texts of the cells of the table of teams. */
function rowsOf(content: string): string[][] {
  const [, body = ""] = /id="callers"[^]*<tbody[^>]*>([^]*?)<\/tbody>/.exec(content) ?? [];
  return [...body.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell.replaceAll(/<[^>]*>/g, "")),
  );
}
