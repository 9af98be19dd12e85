import { Steps } from "../launcher/steps.ts";
import { foreground } from "./foreground.ts";

const steps = new Steps();
const fix = async (name: string, command: string, ...args: string[]) => {
  const ok = await steps.part(name, async () => (await foreground(command, args, {})) === 0);
  if (!ok) process.exitCode = 1;
};

// The document of the API is made from its schemas.
await fix("openapi", process.execPath, "ingress/openapi/write.ts");
// Lint first: what it rewrites is formatted after.
await fix("lint", "oxlint", "--type-aware", "--fix");
await fix("format", "biome", "format", "--write");
