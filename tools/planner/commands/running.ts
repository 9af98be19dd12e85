import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RunningService, runningServiceFile } from "@faceline/contracts/stored/running-service";

/** Finds the service that `npm start` runs. Throws an Error that says what to do if none runs. */
export async function findRunning(stateFolder: string): Promise<FoundService> {
  const file = join(stateFolder, runningServiceFile);
  if (!existsSync(file)) throw new Error(`No Faceline was started from ${stateFolder}. ${startIt}`);
  const service = RunningService.parse(JSON.parse(readFileSync(file, "utf8")));
  const of = (kind: string) =>
    Object.entries(service.operators).flatMap(([name, url]) => (name.startsWith(kind) ? [url] : []));
  const [first = ""] = of("ingress");
  const response = await fetch(new URL("/livez", first), { signal: AbortSignal.timeout(replyMs) }).catch(
    () => undefined,
  );
  if (response?.ok !== true) {
    throw new Error(`The Faceline that was started from ${stateFolder} is no longer running. ${startIt}`);
  }
  return {
    ...service,
    ingresses: of("ingress"),
    batchers: of("batcher"),
    workers: of("inference").length,
    token: secretIn(service.tokenFile),
    key: secretIn(service.keyFile),
  };
}

const secretIn = (file: string | null): string | undefined =>
  file === null ? undefined : readFileSync(file, "utf8").trim();

const startIt =
  "Start it in another terminal with npm start, and repeat this command once it is ready. A service that npm start " +
  "does not run needs its addresses: npm run plan -- record --help.";

const replyMs = 5_000;

export type FoundService = RunningService & {
  /** Addresses of the operators' ports. */
  ingresses: string[];
  batchers: string[];
  workers: number;
  token: string | undefined;
  /** The development key; undefined if none was made. */
  key: string | undefined;
};
