import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { capture } from "../launcher/capture.ts";
import { repository } from "../launcher/state-folder.ts";
import type { Steps } from "../launcher/steps.ts";
import { findVenv, type Installed, setUpVenv, type Venv } from "../testing/venv.ts";
import type { Peer } from "./peers.ts";

const own = (folder: string): string => join(folder, "faces");
const programs = join(import.meta.dirname, "face-peers");
const yunetName = "face_detection_yunet_2023mar.onnx";

export const facePeersVenv = (folder: string): Venv => ({
  name: "peers with real models",
  pythonMin: "3.11",
  folder: own(folder),
  requirements: join(programs, "requirements.txt"),
});

/**
 * Installs them, dlib from its source, and lays their weights into the benchmark's own folder. Throws a sentence
 * where there is no OpenBLAS to build with: a dlib without it is four times slower, and no fair peer.
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
  mkdirSync(own(folder), { recursive: true });
  const linked = join(own(folder), "openblas-probe");
  const what = "dlib is built with OpenBLAS, a C++ compiler and make";
  const mend = "on Debian and Ubuntu the packages libopenblas-dev, g++ and make";
  await capture("c++", ["-shared", "-o", linked, "-Wl,--no-as-needed", "-lopenblas"], {
    stop,
    absent: `${what}, and there is no c++ on the PATH: install them first (${mend}).`,
    failed: `${what}, and the linker finds no OpenBLAS: install it first (${mend})`,
  });
  rmSync(linked, { force: true });
  note("there; building dlib takes 5 to 15 minutes");
}

const weightsIn = (folder: string): string => join(own(folder), "home", ".deepface", "weights");

/** What is there of them, and the reason for which one of them cannot run. */
export function findFacePeers(folder: string): FacePeersFound | undefined {
  const installed = findVenv(facePeersVenv(folder));
  const weights = weightsIn(folder);
  if (installed === undefined || !existsSync(join(weights, recognition))) return undefined;
  const withoutYunet =
    !existsSync(join(weights, yunetName)) && `there was no ${yunetName} when it was set up`;
  return { installed, withoutYunet };
}

const recognition = "dlib_face_recognition_resnet_model_v1.dat";

/** Each as well as it was found to run on so many cores, and DeepFace also as it comes. */
export function facePeers(folder: string, cores: number): FacePeer[] {
  const serving = (name: string, file: string): FacePeer => ({
    name,
    args: (port) => [join(programs, file), `${port}`, `${cores}`, weightsIn(folder)],
    health: "/health",
    environment: oneThread,
    needsYunet: true,
    fields: {},
    metrics: ["euclidean"],
  });
  const deepFace = (name: string, workers: number, environment: Record<string, string>) => ({
    name,
    args: (port: number) => {
      const settings = [
        "--no-control-socket",
        "--workers",
        `${workers}`,
        "--timeout",
        "7200",
        "--bind",
        `127.0.0.1:${port}`,
      ];
      return ["-m", "gunicorn", ...settings, "deepface.api.src.app:create_app()"];
    },
    health: "/",
    environment: { DEEPFACE_HOME: join(own(folder), "home"), ...environment },
  });
  const withYunet = { model_name: "Dlib", detector_backend: "yunet" };
  return [
    {
      ...deepFace("DeepFace, YuNet, at its best", cores, oneThread),
      needsYunet: true,
      fields: withYunet,
      metrics: ["cosine", "euclidean"],
    },
    {
      ...deepFace("DeepFace, YuNet, its own settings", 1, {}),
      needsYunet: true,
      fields: withYunet,
      metrics: [],
    },
    {
      ...deepFace("DeepFace, its default detector", cores, oneThread),
      needsYunet: false,
      fields: { model_name: "Dlib", detector_backend: "opencv" },
      metrics: ["cosine"],
    },
    serving(`LitServe, ${cores} workers`, "litserve_server.py"),
    serving(`FastAPI, ${cores} processes`, "fastapi_server.py"),
  ];
}

/** So many processes as cores, with a thread each: more threads would take the cores from one another. */
const oneThread = { OPENBLAS_NUM_THREADS: "1" };

export type FacePeer = Peer & {
  needsYunet: boolean;
  /** Beside the two pictures, in the body of its /verify. */
  fields: Record<string, string>;
  /** Those for which it has a threshold of its own. */
  metrics: Metric[];
};

export type FacePeersFound = { installed: Installed; withoutYunet: string | false };

export type Metric = "cosine" | "euclidean";
