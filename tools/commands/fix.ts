import { runInForeground } from "@faceline/deploy/launcher/foreground";
import { type Command, runCommand } from "@faceline/deploy/launcher/run-command";
import { Steps } from "@faceline/deploy/launcher/steps";

const usage = "usage: npm run fix\n\nWrites the API's document, applies the lint's fixes, and formats.";

await runCommand(usage, fixAll);

async function fixAll({ stop }: Command): Promise<void> {
  const steps = new Steps();
  const fix = async (name: string, command: string, ...args: string[]) => {
    const ok = await steps.attempt(name, async () => (await runInForeground(command, args, { stop })) === 0);
    if (!ok) process.exitCode = 1;
  };
  // contracts/openapi.json is generated from the schemas.
  await fix("openapi", process.execPath, "ingress/openapi/write.ts");
  // Lint before format: the lint's fixes are formatted too.
  await fix("lint", "oxlint", "--type-aware", "--fix");
  await fix("format", "biome", "format", "--write");
}
