import { poolWorkersMax } from "../launcher/settings.ts";
import type { Bench } from "./bench.ts";
import { type FacePeer, type FacePeersFound, facePeers, type Metric } from "./face-peers.ts";
import type { Target } from "./http-client.ts";
import { openPeer } from "./peers.ts";
import { type EngineSize, openStack } from "./stack.ts";

export const faceline = "Faceline";

/** What `npm start` would take on so many cores: each worker has one, as the processes of the peers have. */
export const engineOn = (cores: number): EngineSize => ({
  workers: Math.min(cores, poolWorkersMax),
  threads: 1,
});

/** Faceline and the peers that can run here; beside them why the others cannot. */
export function faceContenders(bench: Bench, found: FacePeersFound | undefined, cores: number): Lineup {
  const ours: FaceContender = {
    name: faceline,
    fields: {},
    metrics: ["cosine", "euclidean"],
    open: () => openFaceline(bench, engineOn(cores)),
  };
  if (found === undefined) {
    const why = "`npm run bench -- --faces --setup` installs them (Python 3.11 or newer and a C++ compiler)";
    return { contenders: [ours], leftOut: [{ server: "every peer", why }] };
  }
  const { installed, withoutYunet } = found;
  const runs = (peer: FacePeer) => !(peer.needsYunet && withoutYunet);
  const peers = facePeers(bench.folder, cores);
  return {
    contenders: [
      ours,
      ...peers.filter(runs).map((peer) => ({
        ...peer,
        open: async (): Promise<OpenFaces> => {
          const { url, pid, ...rest } = await openPeer(bench, installed, peer);
          const target = (bodies: string[]): Target => ({ url: `${url}/verify`, headers: {}, bodies });
          return { target, leaders: { "the peer": pid }, ...rest };
        },
      })),
    ],
    leftOut: peers
      .filter((peer) => !runs(peer))
      .map(({ name }) => ({ server: name, why: `${withoutYunet}` })),
  };
}

async function openFaceline(bench: Bench, engine: EngineSize): Promise<OpenFaces> {
  const stack = await openStack(bench, {}, engine);
  return {
    target: (bodies) => ({ ...stack.target("/verify", []), bodies }),
    leaders: bench.servers.watch.record?.leaders() ?? {},
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

export type FaceContender = {
  name: string;
  /** Beside the two pictures, in the body. */
  fields: Record<string, string>;
  metrics: Metric[];
  open(): Promise<OpenFaces>;
};

export type OpenFaces = AsyncDisposable & {
  target(bodies: string[]): Target;
  /** Its processes, by name: each leads a group. */
  leaders: Record<string, number>;
};

export type LeftOut = { server: string; why: string };

export type Lineup = { contenders: FaceContender[]; leftOut: LeftOut[] };
