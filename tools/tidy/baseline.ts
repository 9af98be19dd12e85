import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Fails when a rule has offenders that are not in known/RULE.txt, the list of offenders from before the rule,
 * one per line. An offender is a text without line numbers, so that it stays the same when other lines
 * change; its details are printed below it.
 *
 *     TIDY=write npm run check    writes all of today's offenders, and removes the files of rules without any
 *     npm run fix                 removes the lines of offenders that are fixed (TIDY=shrink)
 */
export function assertOnlyKnown(rule: string, offenders: Offenders): void {
  const file = join(import.meta.dirname, "known", `${rule}.txt`);
  const known = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const mode = process.env["TIDY"];
  if (mode === "write" || mode === "shrink") {
    const kept = [...offenders.keys()].filter((offender) => mode === "write" || known.includes(offender));
    // There is no folder while no rule has offenders.
    mkdirSync(dirname(file), { recursive: true });
    if (kept.length === 0) rmSync(file, { force: true });
    else writeFileSync(file, `${kept.toSorted().join("\n")}\n`);
    if (mode === "write") return;
  }
  const found = [...offenders].filter(([offender]) => !known.includes(offender));
  const lines = found.flatMap(([offender, details]) => [offender, ...details.map((each) => `    ${each}`)]);
  assert.ok(
    found.length === 0,
    `${rule}: ${found.length} not in tools/tidy/known/${rule}.txt\n\n${lines.join("\n")}\n`,
  );
}

/** Each offender with the places or reasons to print. */
export type Offenders = Map<string, string[]>;
