import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newProfile } from "../../testing/fixtures.ts";
import { laneTimes, meanOf } from "./lane-times.ts";
import { readProfile } from "./profile.ts";

const folder = mkdtempSync(join(tmpdir(), "profile-"));
after(() => rmSync(folder, { recursive: true }));

test("a profile is read as it was written", () => {
  assert.deepEqual(readProfile(write(JSON.stringify(newProfile()))), newProfile());
});

test("a profile that is absent, damaged or of another version is refused with what to do", () => {
  assert.throws(() => readProfile(join(folder, "absent")), /does not exist.*calibrate makes one/);
  assert.throws(() => readProfile(write("{")), /is not JSON/);
  assert.throws(
    () => readProfile(write(JSON.stringify({ ...newProfile(), version: 2 }))),
    /not valid at version/,
  );
});

test("times are drawn from the measured distribution: linear between its quantiles", () => {
  const { runMs, prepareMs } = laneTimes(newProfile().lanes[0]!);
  assert.deepEqual(
    [0, 0.25, 0.5, 0.75].map((share) => runMs(1, share, 0)),
    [0.9 * 22, 0.95 * 22, 22, 22 * 1.05],
  );
  assert.ok(Math.abs(prepareMs(4, 0.5) - 3) < 1e-9);
  assert.throws(() => runMs(3, 0.5, 0), /batches of 3 were not calibrated/);
});

test("a run takes longer beside those of other workers of its machine, as far as that was measured", () => {
  const { runMs } = laneTimes({ ...newProfile().lanes[0]!, contention: [1, 1.5] });
  assert.deepEqual(
    [0, 1, 2].map((beside) => runMs(1, 0.5, beside)),
    [22, 33, 33],
  );
});

test("the mean of a distribution is that of the line through its quantiles", () => {
  assert.equal(meanOf([1, 2, 6]), (1.5 + 4) / 2);
});

function write(text: string): string {
  const file = join(folder, "profile.json");
  writeFileSync(file, text);
  return file;
}
