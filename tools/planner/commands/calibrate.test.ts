import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readProfile } from "../profile/profile.ts";
import { calibrate } from "./calibrate.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "calibrate-"));
after(() => rmSync(stateFolder, { recursive: true }));

const few = ["--rounds", "2", "--batch-max", "2", "--workers", "1", "--lanes", "Dlib/blazeface"];

test("a calibration of the real engine writes a profile that a plan can read", async () => {
  const { code, text } = await run(...few);
  assert.equal(code, 0, text);
  const { lanes, preparation } = readProfile(join(stateFolder, "plan", "profile.json"));
  const [lane] = lanes;
  assert.equal(lane!.lane, "Dlib/blazeface");
  assert.deepEqual(
    lane!.runs.map(({ size }) => size),
    [1, 2],
  );
  assert.ok(lane!.runs.every(({ ms }) => ms.every((each) => each > 0)));
  assert.ok(preparation.imageMs + preparation.megapixelMs + preparation.megabyteMs > 0);
  const [least, most] = preparation.measuredSizes!.pixels;
  assert.ok(least < 70_000 && most > 3_900_000, `${least} to ${most} pixels`);
});

test("a folder without images is refused", async () => {
  await assert.rejects(run(...few, "--images", stateFolder), /has no JPEG images/);
});

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await calibrate(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
