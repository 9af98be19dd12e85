import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type RecordedRelease, type SharedName, schemasOfThisRelease, sharedSchemas } from "./messages.ts";
import { schemaRefusals } from "./schema-refusals.ts";

// What a release may change: docs/operating/upgrades.md. In a rolling upgrade processes of two releases
// write to each other, and after a step back the older one reads what the newer one has stored.

const folder = join(import.meta.dirname, "recorded");
const recorded = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as RecordedRelease,
);
const now = schemasOfThisRelease();

test("one release before this code is recorded, with messages of every kind that services send", () => {
  assert.equal(recorded.length, 1);
  const { messages } = recorded[0]!;
  for (const name of ["CallTasks", "Batch", "Report", "PoolState", "Answers", "Cancel"] as const) {
    assert.ok((messages[name]?.length ?? 0) > 0, `no message of ${name}`);
  }
});

for (const { version, schemas, messages } of recorded) {
  test(`what release ${version} writes is read by this code`, () => {
    for (const [name, { writes }] of Object.entries(schemas)) {
      const { reads } = now[name as SharedName] ?? {};
      assert.ok(reads, `${name} is no longer read`);
      assert.deepEqual(unexpected(schemaRefusals(writes, reads, name)), []);
    }
  });

  test(`what this code writes is read by release ${version}`, () => {
    for (const [name, { reads }] of Object.entries(schemas)) {
      assert.deepEqual(unexpected(schemaRefusals(now[name as SharedName].writes, reads, name)), []);
    }
  });

  test(`the messages that were recorded from release ${version} are read`, () => {
    for (const [name, list] of Object.entries(messages)) {
      for (const message of list) sharedSchemas[name as SharedName].parse(message);
    }
  });

  test(`a field that a later release adds anywhere to a message of ${version} is ignored`, () => {
    for (const [name, list] of Object.entries(messages)) {
      const schema = sharedSchemas[name as SharedName];
      for (const message of list) {
        assert.deepEqual(schema.parse(withNewFields(message)), schema.parse(message), name);
      }
    }
  });
}

/**
 * Drops the names of lanes, which may have a plus since pairs of models exist: operators name a pair in
 * MODELS once every process is of a release that knows it.
 */
const unexpected = (refusals: string[]): string[] =>
  refusals.filter((refusal) => !/\b(lane|loading|unloads\[\]): has another pattern$/.test(refusal));

/** A copy in which each object has a field that no release has. */
function withNewFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewFields);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, of]) => [name, withNewFields(of)]);
  return { ...Object.fromEntries(fields), addedLater: { values: [1, "two", null] } };
}
