import { Steps } from "../launcher/steps.ts";
import { foreground } from "./foreground.ts";

const steps = new Steps();
const check = async (name: string, command: string, ...args: string[]) => {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" };
  const ok = await steps.part(name, async () => (await foreground(command, args, { env })) === 0);
  // All of them run, also when an early one fails: whoever mends one wants to see the others.
  if (!ok) process.exitCode = 1;
};

await check("types", "tsc", "-b");
await check("lint", "oxlint", "--type-aware", "--deny-warnings");
await check("format", "biome", "format");
await check("boundaries", "turbo", "boundaries");
