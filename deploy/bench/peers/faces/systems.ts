import type { Installed } from "../../../commands/venv.ts";
import { poolWorkersMax } from "../../../launcher/settings.ts";
import { type Bench, type EngineSize, leadersOf, openStack } from "../../bench.ts";
import type { Target } from "../../load/http-client.ts";
import { openPeer } from "../peer.ts";
import { type FacePeer, facePeers, type InstalledFacePeers, type Metric } from "./peers.ts";

export const faceline = "Faceline";

/**
 * What `npm start` runs on that many cores: a worker of one thread for each, as the peers have a process for
 * each.
 */
export const engineFor = (cores: number): EngineSize => ({
  workers: Math.min(cores, poolWorkersMax),
  threads: 1,
});

/** Returns Faceline and the peers that can run here, and why the others cannot. */
export function faceSystems(bench: Bench, found: InstalledFacePeers | undefined, cores: number): FaceSystems {
  const own: FaceSystem = {
    name: faceline,
    fields: {},
    metrics: ["cosine", "euclidean"],
    open: () => openFaceline(bench, engineFor(cores)),
  };
  if (found === undefined) {
    const why = "`npm run bench -- --faces --setup` installs them (Python 3.11 or newer and a C++ compiler)";
    return { systems: [own], leftOut: [{ server: "every peer", why }] };
  }
  const { installed, withoutYunet } = found;
  const runs = (peer: FacePeer) => !(peer.needsYunet && withoutYunet);
  const peers = facePeers(bench.folder, cores);
  return {
    systems: [
      own,
      ...peers.filter(runs).map((peer) => ({ ...peer, open: () => openFacePeer(bench, installed, peer) })),
    ],
    leftOut: peers
      .filter((peer) => !runs(peer))
      .map(({ name }) => ({ server: name, why: `${withoutYunet}` })),
  };
}

async function openFaceline(bench: Bench, engine: EngineSize): Promise<OpenFaceSystem> {
  const stack = await openStack(bench, {}, engine);
  return {
    target: (bodies) => ({ ...stack.target("/verify", []), bodies }),
    leaders: leadersOf(bench),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

async function openFacePeer(bench: Bench, installed: Installed, peer: FacePeer): Promise<OpenFaceSystem> {
  const { url, pid, ...rest } = await openPeer(bench, installed, peer);
  const target = (bodies: string[]): Target => ({ url: `${url}/verify`, headers: {}, bodies });
  return { target, leaders: { "the peer": pid }, ...rest };
}

export type FaceSystem = {
  name: string;
  /** Further fields of a body of /verify. */
  fields: Record<string, string>;
  metrics: Metric[];
  open(): Promise<OpenFaceSystem>;
};

export type OpenFaceSystem = AsyncDisposable & {
  target(bodies: string[]): Target;
  /** Process ids by name; each leads a process group. */
  leaders: Record<string, number>;
};

export type LeftOut = { server: string; why: string };

type FaceSystems = { systems: FaceSystem[]; leftOut: LeftOut[] };
