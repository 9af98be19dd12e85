import assert from "node:assert/strict";
import { test } from "node:test";
import { drawBody } from "../../testing/json-bodies.ts";
import { ApiError } from "../call/api-error.ts";
import { imageBytes } from "../images/base64.ts";
import { SlabPool } from "../memory/slab-pool.ts";
import { JsonParser } from "./json.ts";

const limits = { CANDIDATE_VECTORS_MAX: 50, CANDIDATE_IMAGES_MAX: 5, vectorLengthMax: 512 };
const { SEED: one, SEEDS: many } = process.env;
const seeds = one === undefined ? Array.from({ length: Number(many ?? 3_000) }, (_, i) => i) : [Number(one)];

// Replay one with: SEED=417 npm test -- ingress/src/body/json-images.sim.test.ts
test("a body says the same, whether its images are decoded as bytes or its JSON is parsed whole", () => {
  const pool = new SlabPool();
  const counts = { decoded: 0, texts: 0, refused: 0 };
  for (const seed of seeds) {
    const bytes = drawBody(seed);
    const whole = outcomeOf(() => new JsonParser(limits).parse(bytes));
    const parsed = outcomeOf(() => new JsonParser(limits).parseBody(bytes, pool));
    if (parsed instanceof ApiError || whole instanceof ApiError) {
      counts.refused++;
      assert.deepEqual(parsed, whole, `seed ${seed}`);
      continue;
    }
    const { body, slab } = parsed as { body: unknown; slab?: { release(): void } };
    counts[slab === undefined ? "texts" : "decoded"]++;
    assert.deepEqual(withImages(body, whole), whole, `seed ${seed}`);
    slab?.release();
  }
  if (one !== undefined) return;
  for (const [kind, count] of Object.entries(counts))
    assert.ok(count > seeds.length / 8, `${kind}: ${count}`);
});

/** The value with the text of `whole` in place of each image that gives the same bytes, or the same error. */
function withImages(value: unknown, whole: unknown): unknown {
  if (value instanceof Uint8Array) {
    assert.equal(typeof whole, "string");
    assert.deepEqual(imageOf(value), imageOf(whole as string));
    return whole;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    withImages(item, Object.getOwnPropertyDescriptor(whole ?? {}, name)?.value),
  ]);
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

const ref = { field: "img1", index: 0, label: "img1" };
const imageOf = (image: string | Uint8Array) =>
  outcomeOf(() => Buffer.from(imageBytes(image, ref, { IMAGE_BYTES_MAX: 5_020 })));

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
