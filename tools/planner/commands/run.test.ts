import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Plan } from "../report/plan.ts";
import { inTimeShare } from "../report/words.ts";
import { newProfile } from "../testing/fixtures.ts";
import { run } from "./run.ts";

const stateFolder = mkdtempSync(join(tmpdir(), "plan-"));
after(() => rmSync(stateFolder, { recursive: true }));
mkdirSync(join(stateFolder, "plan"));
writeFileSync(join(stateFolder, "plan", "profile.json"), JSON.stringify(newProfile()));

const traffic = "--draw bursts --rate 60 --seconds 8 --deadline 500 --target p99<200ms,shed<0.5%".split(" ");

test("a plan names the settings to set, and what limits them", async () => {
  const json = join(stateFolder, "plan.json");
  const { code, text } = await plan(...traffic, "--json", json);
  assert.equal(code, 0, text);
  const { winner, format } = JSON.parse(readFileSync(json, "utf8"));
  assert.match(
    text,
    new RegExp(`workers +${winner.settings.workers}\n +BATCH_MAX +${winner.settings.batchMax}\n`),
  );
  assert.equal(format, "faceline-plan");
  for (const part of ["What limits:", "Error band: nothing was measured", "UTILISATION_TARGET"])
    assert.ok(text.includes(part), part);
  assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= 110, text);
});

test("advice on a bursty trace beats the default settings: more calls in time, and sooner", () => {
  const { winner, defaults } = JSON.parse(readFileSync(join(stateFolder, "plan.json"), "utf8")) as Plan;
  const { settings, prediction } = defaults!;
  assert.equal(settings.workers, winner!.settings.workers);
  assert.ok(inTimeShare(winner!.prediction) > inTimeShare(prediction));
  assert.ok(winner!.prediction.p99Ms < prediction.p99Ms);
});

test("where no settings meet the target, the closest are shown, and the exit code says so", async () => {
  const { code, text } = await plan(
    "--rate",
    "20",
    "--seconds",
    "8",
    "--target",
    "p99<5ms",
    "--workers-max",
    "2",
  );
  assert.equal(code, 2);
  assert.match(text, /No settings up to 2 workers meet p99 < 5 ms/);
  assert.match(text, /hold p99 < \d+ ms: the nearest target that can be had/);
  assert.match(text, /--workers-max 4 tries more workers/);
});

for (const [args, message] of [
  [["--rate", "0"], /--rate must be a number above 0/],
  [["--draw", "waves"], /--draw waves: it must be one of poisson, bursts, diurnal, step/],
  [["--trace", join(stateFolder, "absent")], /There is no trace .*absent/],
  [["--image-pixels", "5000000", "--seconds", "5"], /images of up to 5000000 pixels, and the profile was/],
] as const) {
  test(`${args.join(" ").replace(stateFolder, "")} is refused`, async () => {
    await assert.rejects(plan(...args), { message });
  });
}

async function plan(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const code = await run(args, { stateFolder, print: (line) => lines.push(line), progress: () => {} });
  return { code, text: lines.join("\n") };
}
