import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newProfile } from "../testing/fixtures.ts";
import { decodeMsAt, meanOf, runMsAt, slowdownOf } from "./lane-times.ts";
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
    () => readProfile(write(JSON.stringify({ ...newProfile(), version: 4 }))),
    /not valid at version/,
  );
});

test("times are drawn from the measured distribution: linear between its quantiles", () => {
  const profile = newProfile();
  const [lane] = profile.lanes as [(typeof profile.lanes)[0]];
  assert.deepEqual(
    [0, 0.25, 0.5, 0.75].map((share) => runMsAt(lane, 1, share)),
    [0.9 * 22, 0.95 * 22, 22, 22 * 1.05],
  );
  assert.throws(() => runMsAt(lane, 3, 0.5), /batches of 3 were not calibrated for Dlib\/ssd/);
  const preparation = {
    ...profile.preparation,
    imageMs: 1,
    megapixelMs: 4,
    megabyteMs: 20,
    factors: [0.5, 1, 2],
  };
  const image = { bytes: 500_000, pixels: 2_000_000 };
  assert.deepEqual(
    [0, 0.5, 0.75].map((share) => decodeMsAt({ ...profile, preparation }, image, share)),
    [9.5, 19, 28.5],
  );
});

test("jobs of all lanes slow each other down as much as those of a lane did on average", () => {
  const lane = newProfile().lanes[0]!;
  const lanes = [
    { ...lane, contention: [1, 1.5] },
    { ...lane, contention: [1, 1.25, 2] },
  ];
  assert.deepEqual(slowdownOf(newProfile({ lanes })), [1, 1.375]);
});

test("the mean of a distribution is that of the line through its quantiles", () => {
  assert.equal(meanOf([1, 2, 6]), (1.5 + 4) / 2);
});

function write(text: string): string {
  const file = join(folder, "profile.json");
  writeFileSync(file, text);
  return file;
}
