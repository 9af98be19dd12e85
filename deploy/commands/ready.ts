import { setTimeout as sleep } from "node:timers/promises";
import { HealthResponse } from "@faceline/contracts/http/health";
import { missingPart } from "../compose/readiness.ts";
import { runCommand } from "../launcher/run-command.ts";

const usage = `usage: node deploy/commands/ready.ts INGRESS PUBLISHED

The service \`ready\` of the compose. Prints what the start waits for, each time that changes, and at last the
address of the API as the host has published it.`;

const withinMs = 600_000;
const pollEveryMs = 500;

await runCommand(usage, async ({ print, stop }) => {
  const [ingress = "", published = ""] = process.argv.slice(2);
  const giveUpAt = performance.now() + withinMs;
  for (let printed = ""; ; await sleep(pollEveryMs, undefined, { signal: stop })) {
    const missing = missingPart(await readHealth(ingress, stop));
    if (missing === undefined) break;
    if (performance.now() > giveUpAt) throw new Error(`Not ready within ${withinMs / 1000} s: ${missing}.`);
    if (missing !== printed) print(`waiting for ${missing} …`);
    printed = missing;
  }
  print(`Faceline is ready: http://${published}/  The first key is in secrets/first-api-key.`);
});

async function readHealth(ingress: string, stop: AbortSignal): Promise<HealthResponse | undefined> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(2_000)]);
  const response = await fetch(`${ingress}/health`, { signal }).catch(() => undefined);
  return HealthResponse.safeParse(await response?.json().catch(() => undefined)).data;
}
