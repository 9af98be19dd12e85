import { PoolSettings } from "@faceline/runtime/operators/pool-settings";
import { getFromPort } from "./operators-port.ts";

/**
 * Returns the settings in force of the active batcher among operators' ports. Undefined where none of them is
 * that of an active batcher, so that the caller needs them from elsewhere. Throws an Error with a sentence
 * where a port does not answer or refuses the token.
 */
export async function readServiceSettings(
  ports: readonly string[],
  token: string | undefined,
): Promise<ServiceSettings | undefined> {
  const read = await Promise.all(ports.map((port) => readSettings(port, token)));
  const active = read.find((each) => each?.role === "active");
  if (active === undefined) return undefined;
  const { settings, lanes, workers } = active;
  const loaded = lanes.flatMap(({ sizes }) => sizes);
  const batchMax = settings.batchMax ?? (loaded.length === 0 ? undefined : Math.max(...loaded));
  return { workers, batchMax, utilisationTarget: settings.utilisationTarget };
}

/** Undefined for a port of another process: batchers alone have settings. */
async function readSettings(port: string, token: string | undefined): Promise<PoolSettings | undefined> {
  const reply = await getFromPort(port, "/settings", token);
  if (!reply.ok) return undefined;
  return PoolSettings.safeParse(await reply.json()).data;
}

type ServiceSettings = {
  /** In service; undefined: the batcher does not say it. */
  workers: number | undefined;
  /** Undefined while no worker has reported. */
  batchMax: number | undefined;
  utilisationTarget: number;
};
