// network.test.ts and engine/lanes.test.ts cover it.
import type { WarmSize } from "./chunks.ts";

/** Returns the times of these sizes; undefined if one is unknown, because plans compare all of them. */
export function knownTimes(
  sizes: readonly number[],
  times: readonly WarmSize[] | undefined,
): WarmSize[] | undefined {
  const known = sizes.flatMap((size) => times?.find((each) => each.size === size) ?? []);
  return known.length === sizes.length ? known : undefined;
}

/**
 * Run times that were measured before on an equal machine, so that a load need not measure them: of networks
 * by the SHA-256 of their file, and of whole batches by the digest of their lane.
 */
export type StartTimes = {
  networks: ReadonlyMap<string, readonly WarmSize[]>;
  lanes: ReadonlyMap<string, readonly WarmSize[]>;
};
