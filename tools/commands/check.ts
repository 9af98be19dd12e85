import { rmSync } from "node:fs";
import { join } from "node:path";
import { runInForeground } from "@faceline/deploy/launcher/foreground";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { tidyArguments } from "./test-runner.ts";

const usage = `usage: npm run check

Types, lint, format, boundaries between packages, and the tests of tools/tidy. All run, also when one fails;
the last line is the verdict.`;

await runCommand(usage, checkAll);

async function checkAll({ print, stop }: Command): Promise<void> {
  const steps = new Steps();
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" };
  const check = async (name: string, command: string, ...args: string[]) => {
    const ok = await steps.attempt(
      name,
      async () => (await runInForeground(command, args, { env, stop })) === 0,
    );
    if (!ok) process.exitCode = 1;
  };
  // TypeScript 7.0 checks nothing again when a JSON file has changed, such as one of web/src/words.
  for (const project of ["web", "web-browser"])
    rmSync(join(repository, ".tsbuild", `${project}.tsbuildinfo`), { force: true });
  await check("types", "tsc", "-b");
  await check("lint", "turbo", "run", "//#lint", "--log-prefix=none", "--output-logs=new-only");
  await check("format", "biome", "format");
  await check("boundaries", "turbo", "boundaries");
  await check("tidy", process.execPath, ...tidyArguments);
  const failed = steps.done.filter(({ ok }) => !ok).map(({ name }) => name);
  print(failed.length === 0 ? "passed" : `failed: ${failed.join(", ")}`);
}
