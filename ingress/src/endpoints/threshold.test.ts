import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalogue, readCatalogue } from "@faceline/models/catalogue";
import { embeddingNorm } from "@faceline/models/catalogue-entry";
import { falseMatchRatesOf } from "../matching/false-match-rates.ts";
import { testModels, testServer } from "../../testing/server.ts";

// Covers what a request may give as `threshold`, and what the response says of it.

const published = await readCatalogue();
const names = ["Dlib", "MobileFaceNet", "SFace"];
const metrics = ["cosine", "euclidean", "euclidean_l2"] as const;

/** The server's catalogue with these curves. */
const withCurves = (false_match_curves: object | undefined) =>
  new Catalogue(testModels.map((model) => ({ ...model, false_match_curves }) as typeof model));

/** Sends the same vector twice to both endpoints with a verdict, and returns their equal statements. */
function sender({ post }: ReturnType<typeof testServer>, vector: number[]) {
  return async (options: Record<string, unknown>) => {
    const [one, other] = [
      (await post("/verify", { img1: vector, img2: vector, ...options })).json(),
      (await post("/compare", { vector, candidates: [vector], ...options })).json(),
    ].map(({ status = 200, error, field, detail, threshold, threshold_false_match_rate: rate, warnings }) => {
      return { status, error, field, detail, threshold, rate, warnings };
    });
    assert.deepEqual(one, other);
    return one!;
  };
}

test("every model and metric: the rate of the threshold, a warning beyond 1 in 10, refused beyond 1 in 2", async (t) => {
  const server = testServer(t, { catalogue: published, settings: { MODELS: names.join(",") } });
  for (const [name, distance_metric] of names.flatMap((each) =>
    metrics.map((metric) => [each, metric] as const),
  )) {
    const model = published.find("embedding", name)!;
    const own = model.thresholds[distance_metric];
    const rateOf = falseMatchRatesOf(model)!.of[distance_metric];
    const largestWithin = (rate: number) =>
      Array.from({ length: 4_000 }, (_, i) => i / 2_000).findLast((each) => rateOf(each) <= rate)!;
    const sendVector = sender(server, [embeddingNorm(model).max, ...Array(model.embedding_size - 1).fill(0)]);
    const send = (threshold?: number) => sendVector({ model_name: name, distance_metric, threshold });

    for (const sent of [undefined, 0, own / 2, own, largestWithin(0.1)]) {
      const { threshold, rate, warnings } = await send(sent);
      assert.deepEqual([threshold, rate, warnings], [sent ?? own, rateOf(sent ?? own), []]);
    }
    for (const sent of [largestWithin(0.1) + 0.001, largestWithin(0.5)]) {
      const { rate, warnings } = await send(sent);
      const detail =
        `The threshold ${sent} matches about ${Math.round(rateOf(sent) * 100)}% of pairs of different people. ` +
        `For ${distance_metric}, ${name} has its own, ${own}: leave threshold out to use it.`;
      assert.deepEqual([rate, warnings], [rateOf(sent), [{ code: "threshold_too_high", detail }]]);
    }
    for (const sent of [largestWithin(0.5) + 0.001, 1.99, 80, 1e308]) {
      const { status, error, field, detail } = await send(sent);
      assert.deepEqual([status, error, field], [400, "invalid_request", "threshold"]);
      const range = / for (\S+) of (\S+) it is between 0 and ([\d.]+)\. .* own, ([\d.]+)\.$/.exec(detail)!;
      assert.deepEqual([range[1], range[2], range[4]], [distance_metric, name, String(own)]);
      assert.equal((await send(Number(range[3]))).warnings.length, 1, "the largest is accepted");
    }
  }
});

test("thresholds of other libraries are refused for Dlib, also as text of a form and without alignment", async (t) => {
  const server = testServer(t, { catalogue: published, settings: { MODELS: "Dlib" } });
  const vector = [1.5, ...Array(127).fill(0)];
  for (const threshold of [0.3, 0.4, 0.68]) {
    for (const align of [true, false])
      assert.equal(
        (await sender(server, vector)({ threshold, align, model_name: "Dlib" })).field,
        "threshold",
      );
    const img = JSON.stringify(vector);
    const form = new URLSearchParams({
      img1: img,
      img2: img,
      threshold: String(threshold),
      model_name: "Dlib",
    }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await server.post("/verify", form, type)).json().field, "threshold");
  }
});

test("without curves there is no rate, no warning, and only what no distance exceeds is refused", async (t) => {
  const send = sender(testServer(t, { catalogue: withCurves(undefined) }), [1.5, 0]);
  for (const [distance_metric, max] of Object.entries({ cosine: 2, euclidean: 4, euclidean_l2: 2 })) {
    const { rate, warnings } = await send({ distance_metric, threshold: max });
    assert.deepEqual([rate, warnings], [null, []]);
    const { field, detail } = await send({ distance_metric, threshold: max + 1e-6 });
    assert.equal(field, "threshold");
    assert.ok(detail.includes(`it is between 0 and ${max}. `), detail);
  }
});

test("an operator's own threshold is accepted without a warning, whatever its curve says", async (t) => {
  const curve = { pairs: 9, distances: [0.01, 0.02], ranks: [1, 9] };
  const send = sender(
    testServer(t, { catalogue: withCurves({ cosine: curve, euclidean: curve }) }),
    [1.5, 0],
  );
  for (const sent of [undefined, 0.1]) {
    const { threshold, rate, warnings } = await send({ threshold: sent });
    assert.deepEqual([threshold, rate, warnings], [0.1, 0.9, []]);
  }
  assert.equal((await send({ threshold: 0.11 })).status, 400);
});

test("a threshold that is no number of 0 or more is refused", async (t) => {
  const send = sender(testServer(t), [1.5, 0]);
  for (const threshold of ["80", "80%", "0.5", -1, -0.1]) {
    const { field, detail } = await send({ threshold });
    assert.equal(field, "threshold");
    assert.match(detail, /must be a number of 0 or more: it is a distance, by cosine from 0 to 2\.$/);
  }
});
