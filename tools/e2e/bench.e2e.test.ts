// Covers `npm run bench`, from its command line to its last line, on servers of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";

const parts = ["single-request", "saturation", "open-loop", "accuracy", "detection", "faces"];

test("every part runs to its printed end, and a round is written before the next one begins", async (t) => {
  const folder = join(resolve(repository, readLaunchOptions([], process.env).FACELINE_STATE), "bench");
  const fileOf = (part: string) => join(folder, `${part}.quick.json`);
  for (const part of parts) rmSync(fileOf(part), { force: true });
  const args = ["tools/commands/bench.ts", "--quick", "--only", parts.join()];
  const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill());
  const ended = once(child, "exit");
  const lines: string[] = [];
  let rounds: { round: number }[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.startsWith("✓ round 1 of 2"))
      rounds = JSON.parse(readFileSync(fileOf("faces"), "utf8")).results.cases;
  }
  assert.deepEqual(await ended, [0, null], lines.join("\n"));
  const written = lines.filter((line) => line.startsWith("every value: "));
  assert.deepEqual(
    written,
    parts.map((part) => `every value: ${fileOf(part)}`),
  );
  assert.match(lines.at(-1)!, /^all of it: \d+ s$/);
  assert.ok(rounds.length > 0 && rounds.every(({ round }) => round === 0));
});
