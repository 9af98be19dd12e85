import { readCatalogue } from "@faceline/models/catalogue";
import type { Facts } from "../src/facts.ts";
import { renderSite } from "../src/render.ts";
import { Site } from "../src/site.ts";

const catalogue = await readCatalogue();
const MiB = 1024 ** 2;

/** Facts of a service with keys, accounts and the tester, and with a model of the real catalogue. */
export const testFacts: Facts = {
  version: "0.1.0",
  publicUrl: "",
  keysNeeded: true,
  limits: {
    body_bytes: 20 * MiB,
    image_bytes: 10 * MiB,
    image_pixels: 40_000_000,
    image_decoding_bytes: 320 * MiB,
    image_side_min_px: 16,
    candidate_vectors: 1_000,
    candidate_images: 32,
    vector_length: 512,
    faces: 100,
    deadline_default_ms: 30_000,
    deadline_min_ms: 50,
    deadline_max_ms: 60_000,
    team_requests_per_second: 50,
    team_requests_burst: 100,
    team_in_flight: 64,
  },
  teamBodyBytesPerSecond: 32 * MiB,
  models: [catalogue.find("embedding", "SFace")!],
  cards: Object.fromEntries(catalogue.cards),
  detectors: ["auto"],
  tester: {
    on: true,
    bodyBytes: 8 * MiB,
    imageBytes: 2 * MiB,
    imagePixels: 4_000_000,
    candidates: 8,
    deadlineMs: 15_000,
    requestsPerMinute: 30,
    requestsBurst: 20,
  },
  accounts: true,
};

export const rendered = await renderSite(testFacts);
export const site = new Site(rendered);

/** Returns the English page or the asset at a path as text. Throws if there is none. */
export function textAt(path: string): string {
  const content = site.findPage(path)?.en ?? site.findAsset(path);
  if (content === undefined) throw new Error(`There is nothing at ${path}`);
  return Buffer.from(content.bodies.identity!).toString();
}
