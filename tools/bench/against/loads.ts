import { comparisonOfVectors, faceImages, heavyJpeg, tinyJpeg, verifyBodies } from "../images.ts";
import type { StartEngine } from "./checkout.ts";

/** The parts of `--against`: what is sent, and with which engine `npm start` runs. */
export async function againstLoads(): Promise<AgainstLoad[]> {
  const img = (await tinyJpeg()).toString("base64");
  const large = (await heavyJpeg()).toString("base64");
  const verify: AgainstLoad = {
    part: "verify",
    what: "/verify of images, 64 in flight",
    engine: modelled,
    path: "/verify",
    bodies: [JSON.stringify({ img1: img, img2: img })],
    inFlight: 64,
    measures: ["requests/s", "CPU ms per request"],
    sliceMs: { full: 2_500, quick: 1_500 },
  };
  return [
    verify,
    {
      part: "compare",
      what: "/compare of 101 vectors, 8 in flight",
      engine: modelled,
      path: "/compare",
      bodies: [comparisonOfVectors(128, 100)],
      inFlight: 8,
      measures: ["requests/s", "CPU ms per request"],
      sliceMs: { full: 2_000, quick: 1_000 },
    },
    {
      ...verify,
      part: "single-request",
      what: "/verify of images, one at a time",
      inFlight: 1,
      measures: ["p50 ms"],
      sliceMs: { full: 2_000, quick: 1_000 },
    },
    {
      ...verify,
      part: "saturation",
      what: "/verify of images of 100 KB, 64 in flight",
      engine: idleModelled,
      bodies: [JSON.stringify({ img1: large, img2: large })],
    },
    {
      part: "faces",
      what: "/verify with real models, 8 in flight",
      engine: realModels,
      path: "/verify",
      bodies: verifyBodies(faceImages().files).map((body) => JSON.stringify(body)),
      inFlight: 8,
      measures: ["requests/s", "CPU ms per request"],
      sliceMs: { full: 4_000, quick: 2_500 },
    },
  ];
}

export const againstParts = ["verify", "compare", "single-request", "saturation", "faces"];

const modelled: StartEngine = {
  name: "modelled engine",
  args: ["--engine", "model:40+2b", "--workers", "1"],
  settings: { BATCH_MAX: "32" },
};
/** Runs take no time: what is left is the path around the engine. */
const idleModelled: StartEngine = {
  name: "engine without time",
  args: ["--engine", "model:0+0b", "--workers", "1"],
  settings: { BATCH_MAX: "64" },
};
const realModels: StartEngine = { name: "real models", args: [], settings: {} };

export type AgainstLoad = {
  part: string;
  what: string;
  engine: StartEngine;
  path: string;
  bodies: string[];
  inFlight: number;
  measures: readonly MeasureName[];
  /** The counted time of one side of a pair. */
  sliceMs: { full: number; quick: number };
};

export const measureDirections = {
  "requests/s": "more",
  "CPU ms per request": "less",
  "p50 ms": "less",
} as const;
export type MeasureName = keyof typeof measureDirections;
