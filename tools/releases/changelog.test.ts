import assert from "node:assert/strict";
import test from "node:test";
import { releaseChangelog, releaseNotes } from "./changelog.ts";

const text = "# Changelog\n\n## Unreleased\n\n### Added\n\n- AVIF.\n\n## 0.1.0 – 2026-11-23\n\n- All.\n";
const date = new Date("2026-12-24T23:00:00Z");

test("what is unreleased gets a version and a date, and later changes a place", () => {
  assert.equal(
    releaseChangelog(text, "0.2.0", date),
    "# Changelog\n\n## Unreleased\n\n## 0.2.0 – 2026-12-24\n\n### Added\n\n- AVIF.\n\n## 0.1.0 – 2026-11-23\n\n- All.\n",
  );
});

test("a version that is there, and a release without a change, are refused", () => {
  assert.throws(() => releaseChangelog(text, "0.1.0", date), /has 0\.1\.0 already/);
  const released = releaseChangelog(text, "0.2.0", date);
  assert.throws(() => releaseChangelog(released, "0.3.0", date), /nothing under "Unreleased"/);
});

test("notes of a release are its part of the changelog, and a version without one is refused", () => {
  const released = releaseChangelog(text, "0.2.0", date);
  assert.equal(releaseNotes(released, "0.2.0"), "### Added\n\n- AVIF.\n");
  assert.equal(releaseNotes(released, "0.1.0"), "- All.\n");
  assert.throws(() => releaseNotes(released, "0.2"), /has no part for 0\.2\./);
});
