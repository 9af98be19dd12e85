import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import { poolWorkersMax } from "@faceline/contracts/wire/names";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { findVenv, type Installed, setUpVenv, type Venv } from "@faceline/testing/venv";
import type { Target } from "../../load/http-client.ts";
import { type Bench, type EngineSize, leadersOf, openStack } from "../../part.ts";
import { openPeer, type Peer } from "../peer.ts";

export const faceline = "Faceline";

/**
 * Workers and threads of `npm start` on that many cores: a worker of one thread for each, as the peers have a
 * process for each.
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
  const peers = facePeers(bench.folder, cores);
  if (withoutYunet !== false)
    return { systems: [own], leftOut: peers.map(({ name }) => ({ server: name, why: withoutYunet })) };
  const open = (peer: FacePeer) => () => openFacePeer(bench, installed, peer);
  return { systems: [own, ...peers.map((peer) => ({ ...peer, open: open(peer) }))], leftOut: [] };
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

const facesFolder = (folder: string): string => join(folder, "faces");
const programs = import.meta.dirname;
const yunetName = "face_detection_yunet_2023mar.onnx";

const facePeersVenv = (folder: string): Venv => ({
  name: "peers with real models",
  pythonMin: "3.11",
  folder: facesFolder(folder),
  requirements: join(programs, "requirements.txt"),
});

/**
 * Installs the peers, dlib from its source, and copies their weights into the benchmark's folder. Throws one
 * sentence where OpenBLAS is missing: a dlib built without it is four times slower, and no fair peer.
 */
export async function setUpFacePeers(folder: string, steps: Steps, stop: AbortSignal): Promise<void> {
  const venv = facePeersVenv(folder);
  if (findVenv(venv) === undefined) await steps.run("OpenBLAS", (note) => checkOpenBlas(folder, note, stop));
  await setUpVenv(venv, steps, stop);
  const { python } = findVenv(venv)!;
  await steps.run("weights", async (note) => {
    const yunet = resolve(repository, "../shared/data/models", yunetName);
    note((await capture(python, [join(programs, "set_up.py"), weightsIn(folder), yunet], { stop })).trim());
  });
}

async function checkOpenBlas(
  folder: string,
  note: (words: string) => void,
  stop: AbortSignal,
): Promise<void> {
  mkdirSync(facesFolder(folder), { recursive: true });
  const linked = join(facesFolder(folder), "openblas-probe");
  const needs = "dlib is built with OpenBLAS, a C++ compiler and make";
  const remedy = "on Debian and Ubuntu the packages libopenblas-dev, g++ and make";
  await capture("c++", ["-shared", "-o", linked, "-Wl,--no-as-needed", "-lopenblas"], {
    stop,
    absent: `${needs}, and there is no c++ on the PATH: install them first (${remedy}).`,
    failed: `${needs}, and the linker finds no OpenBLAS: install it first (${remedy})`,
  });
  rmSync(linked, { force: true });
  note("found; building dlib takes 5 to 15 minutes");
}

const weightsIn = (folder: string): string => join(facesFolder(folder), "home", ".deepface", "weights");

/** Returns the installed peers, and why some of them cannot run; undefined where they are not installed. */
export function findFacePeers(folder: string): InstalledFacePeers | undefined {
  const installed = findVenv(facePeersVenv(folder));
  const weights = weightsIn(folder);
  if (installed === undefined || !existsSync(join(weights, recognitionWeights))) return undefined;
  const withoutYunet =
    !existsSync(join(weights, yunetName)) && `there was no ${yunetName} when it was set up`;
  return { installed, withoutYunet };
}

const recognitionWeights = "dlib_face_recognition_resnet_model_v1.dat";

/** Each with the settings that were the fastest found for that many cores. */
function facePeers(folder: string, cores: number): FacePeer[] {
  const serving = (name: string, file: string): FacePeer => ({
    name,
    args: (port) => [join(programs, file), `${port}`, `${cores}`, weightsIn(folder)],
    healthPath: "/health",
    environment: oneThread,
    fields: {},
    metrics: ["euclidean"],
  });
  return [
    {
      name: "DeepFace, at its best",
      args: (port) => {
        const settings = ["--no-control-socket", "--workers", `${cores}`, "--timeout", "7200"];
        const app = ["--bind", `127.0.0.1:${port}`, "deepface.api.src.app:create_app()"];
        return ["-m", "gunicorn", ...settings, ...app];
      },
      healthPath: "/",
      environment: { DEEPFACE_HOME: join(facesFolder(folder), "home"), ...oneThread },
      fields: { model_name: "Dlib", detector_backend: "yunet" },
      metrics: ["cosine", "euclidean"],
    },
    serving(`LitServe, ${cores} workers`, "litserve_server.py"),
    serving(`FastAPI, ${cores} processes`, "fastapi_server.py"),
  ];
}

/** There is a process for each core, so each has one thread: more would compete for the cores. */
const oneThread = { OPENBLAS_NUM_THREADS: "1" };

type FacePeer = Peer & {
  /** Further fields of a body of its /verify. */
  fields: Record<string, string>;
  /** The metrics for which it has a threshold of its own. */
  metrics: Metric[];
};

type InstalledFacePeers = { installed: Installed; withoutYunet: string | false };

export type Metric = "cosine" | "euclidean";
