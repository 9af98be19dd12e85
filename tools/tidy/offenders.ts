import assert from "node:assert/strict";

/** Fails when a rule has offenders, and lists each with the places or reasons below it. */
export function assertNone(rule: string, offenders: Offenders): void {
  const lines = [...offenders].flatMap(([offender, details]) => [
    offender,
    ...details.map((each) => `    ${each}`),
  ]);
  assert.ok(offenders.size === 0, `${rule}: ${offenders.size}\n\n${lines.join("\n")}\n`);
}

/** Each offender with the places or reasons to print. */
export type Offenders = Map<string, string[]>;
