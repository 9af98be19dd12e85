// Covers docs/operating/data-protection.md.
import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "./source.ts";

const page = read("docs/operating/data-protection.md");
/** Each row of a table, by each of the keys and topics in its first cell. */
const rows = new Map(
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => {
      const [, names = ""] = line.split("|");
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, line] as const);
    }),
);

test("every key of Redis and every topic of Kafka has a row, and no other one", () => {
  const source = read("contracts/src/wire/names.ts");
  const stored = source.matchAll(/^export const \w+(?:Key|KeyPrefix|Topic) = [^"`]*["`]([^"`$]+)/gm);
  assert.deepEqual([...rows.keys()].toSorted(), [...stored].map(([, name]) => name!).toSorted());
});

const constants: [name: string, file: string, constant: string, unit: string][] = [
  ["image:", "ingress/src/image-outbox.ts", "imageGraceMs", "s"],
  ["answer:", "runtime/src/answers.ts", "answerGraceMs", "s"],
  ["in-flight:", "ingress/src/limits/in-flight-limiter.ts", "reportValidMs", "s"],
  ["declined:", "accounts/src/people/applicants.ts", "declinedShownDays", "days"],
  ["sign-ins:", "accounts/src/people/sign-in-link.ts", "signInLinkHours", "hours"],
  ["sign-in:", "accounts/src/people/sign-in-link.ts", "signInLinkHours", "hours"],
  ["session:", "accounts/src/people/sessions.ts", "sessionDays", "days"],
  ["audit", "accounts/src/audit/audit-log.ts", "entriesMax", "changes"],
  ["usage:", "accounts/src/usage/days.ts", "usageKeptDays", "days"],
  ["errors:", "accounts/src/usage/days.ts", "errorsKeptDays", "days"],
  ["errors:", "accounts/src/usage/recent-error.ts", "recentErrorsMax", "of each code"],
  ["faceline.dead-letters", "runtime/src/pool-topics.ts", "deadLetterRetentionHours", "hours"],
];

for (const [name, file, constant, unit] of constants) {
  test(`the row of ${name} has the value of ${constant}`, () => {
    const [, digits] = new RegExp(`const ${constant} = ([\\d_]+);`).exec(read(file)) ?? [];
    assert.ok(digits !== undefined, `${file} has no ${constant}`);
    const value = Number(digits.replaceAll("_", "")) / (constant.endsWith("Ms") ? 1_000 : 1);
    assert.ok(rows.get(name)!.includes(` ${value.toLocaleString("en")} ${unit}`), rows.get(name));
  });
}

test("the row of faceline.tasks. names TOPIC_RETENTION_MINUTES, which decides", () => {
  assert.ok(rows.get("faceline.tasks.")!.includes("`TOPIC_RETENTION_MINUTES`"));
});
