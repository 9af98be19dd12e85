// Covers the commands in tools/planner/README.md, beside a whole `npm start` with a modelled engine.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";

test("the block of the planner's README plans for a running service", async () => {
  const readme = readFileSync(join(repository, "tools/planner/README.md"), "utf8");
  const commands = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  );
  assert.deepEqual(commands, ["npm start", "npm run plan"]);

  // npm start still writes into its folder while it stops.
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "faceline-plan-"));
  opened.defer(() => rmSync(folder, { recursive: true }));
  const [port] = await freePorts(1);
  const env = {
    ...process.env,
    FACELINE_STATE: folder,
    PORT: `${port}`,
    POOL: `plan-${randomBytes(6).toString("hex")}`,
    ENGINE: "model:40+5b",
  };
  const plan = async (...args: string[]): Promise<string> => {
    const command = [join(repository, "tools/planner/main.ts"), ...args];
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      ),
    );
    assert.equal(code, 0, output);
    return output.replaceAll(/\s+/g, " ");
  };

  await assert.rejects(plan(), /No Faceline was started from .* with npm start/s);
  opened.defer(await startFaceline(env));
  // With a target that a busy machine meets, too.
  const text = await plan("--target", "p99<3600000ms");
  assert.match(text, /Sending synthetic requests for 20 s/);
  assert.match(text, /The cheapest settings that meet p99 < 3600000 ms/);
  assert.match(text, /with the settings in force \(.*\) the recorded requests took \d+ ms at p50/);
  assert.match(text, /p99 ms .*this plan .* \d+ \(\d+-\d+\)/);
  assert.match(text, /To set it: BATCH_MAX=\d+ UTILISATION_TARGET=[\d.]+ npm start -- --workers \d+ /);
  assertTrace(join(folder, "plan", "latest.jsonl"));
});

/**
 * Starts `npm start` with a development key, as it makes one where it runs the Redis servers itself. Returns
 * a function that stops it.
 */
async function startFaceline(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const child = spawn(
    process.execPath,
    [join(repository, "deploy/commands/start.ts"), "--dev-key", "--workers", "1"],
    {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("Faceline is ready")) {
      child.stdout.resume();
      return async () => {
        child.kill("SIGINT");
        await ended;
      };
    }
  }
  assert.fail("npm start ended");
}

/** The recording has the calls that were drawn: their images, and no more of them. */
function assertTrace(file: string): void {
  const [header = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  assert.deepEqual(JSON.parse(header).lanes, ["SFace/auto"]);
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const [, , lane, deadlineMs, images] = JSON.parse(line);
    assert.deepEqual([lane, deadlineMs, images.length], [0, 30_000, 2]);
    for (const [bytes, pixels] of images) {
      assert.equal(bytes, 41_000);
      assert.ok(Math.abs(pixels / 327_680 - 1) < 0.02, `${pixels}`);
    }
  }
}
