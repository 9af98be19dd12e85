import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalogue, readCatalogue } from "@faceline/models/catalogue";
import { embeddingNorm } from "@faceline/models/catalogue-entry";
import { testKey, testModels, testServer } from "../../testing/server.ts";
import { falseMatchRatesOf } from "../matching/false-match-rates.ts";

// Covers what a request may give as `threshold`, and what the response says of it.

const published = await readCatalogue();
const names = ["Dlib", "MobileFaceNet", "Dlib+MobileFaceNet"];
const metrics = ["cosine", "euclidean", "euclidean_l2"] as const;
const settings = { MODELS: names.join(",") };

/** Bodies for /verify and /compare of two equal vectors. */
const bodies = (vector: number[]) => [
  ["/verify", { img1: vector, img2: vector }] as const,
  ["/compare", { vector, candidates: [vector] }] as const,
];
const [[verifyPath, verifyBody]] = bodies([1.5, 0]) as [ReturnType<typeof bodies>[0]];

test("every model, metric and endpoint: the rate of the threshold, a warning beyond 1 in 10, refused beyond 1 in 2", async (t) => {
  const { post } = testServer(t, { catalogue: published, settings });
  for (const name of names) {
    const model = published.recogniser(name)!;
    const rates = falseMatchRatesOf(model)!;
    const vector = [embeddingNorm(model).max, ...Array(model.embedding_size - 1).fill(0)];
    for (const metric of metrics) {
      const own = model.thresholds[metric];
      const rateOf = rates.of[metric];
      const steps = Array.from({ length: 4_000 }, (_, i) => i / 2_000);
      const reach = (share: number) => steps.findLast((each) => rateOf(each) <= share)!;
      const send = async (path: string, body: object, threshold?: number) =>
        (await post(path, { ...body, model_name: name, distance_metric: metric, threshold })).json();
      for (const [path, body] of bodies(vector)) {
        const what = `${path} ${name} ${metric}`;
        for (const threshold of [undefined, 0, own / 2, own, reach(0.1)]) {
          const reply = await send(path, body, threshold);
          assert.deepEqual(
            [reply.threshold, reply.threshold_false_match_rate, reply.warnings],
            [threshold ?? own, rateOf(threshold ?? own), []],
            what,
          );
        }
        for (const threshold of [reach(0.1) + 0.001, reach(0.5)]) {
          const { threshold_false_match_rate: rate, warnings } = await send(path, body, threshold);
          assert.deepEqual(
            [rate, warnings.length, warnings[0].code],
            [rateOf(threshold), 1, "threshold_too_high"],
          );
          const percent = `about ${Math.round(rate * 100)} % of pairs`;
          for (const said of [`The threshold ${threshold} `, percent, `, ${own}: leave threshold out`])
            assert.ok(warnings[0].detail.includes(said), `${what}: ${warnings[0].detail}`);
        }
        for (const threshold of [reach(0.5) + 0.001, 1.99, 80, 1e308]) {
          const { status, error, field, detail } = await send(path, body, threshold);
          assert.deepEqual([status, error, field], [400, "invalid_request", "threshold"], what);
          const range =
            /^threshold is a distance: for (\S+) of (\S+) it is between 0 and ([\d.]+)\. .* own, ([\d.]+)\.$/;
          const [, saidMetric, saidName, max, default_] = range.exec(detail)!;
          assert.deepEqual([saidMetric, saidName, Number(default_)], [metric, name, own]);
          assert.equal((await send(path, body, Number(max))).warnings.length, 1, "the largest is accepted");
        }
      }
    }
  }
});

test("thresholds of other libraries for Dlib's cosine are refused, in JSON, in forms and without alignment", async (t) => {
  const { app, post } = testServer(t, { catalogue: published });
  const vector = [1.5, ...Array(127).fill(0)];
  for (const threshold of [0.3, 0.4, 0.68]) {
    for (const [path, body] of bodies(vector)) {
      for (const align of [true, false])
        assert.equal((await post(path, { ...body, threshold, align })).json().field, "threshold");
      const fields = Object.entries(body).map(([name, value]): [string, string] => [
        name,
        JSON.stringify(value),
      ]);
      const payload = new URLSearchParams([...fields, ["threshold", String(threshold)]]).toString();
      const headers = { "x-api-key": testKey, "content-type": "application/x-www-form-urlencoded" };
      const form = await app.inject({ method: "POST", url: path, payload, headers });
      assert.equal(form.json().field, "threshold");
    }
  }
});

test("without curves there is no rate, no warning, and only what no distance exceeds is refused", async (t) => {
  const models = testModels.map(({ ...model }) => {
    if (model.role === "embedding") delete model.false_match_curves;
    return model;
  });
  const { post } = testServer(t, { catalogue: new Catalogue(models) });
  for (const [distance_metric, max] of Object.entries({ cosine: 2, euclidean: 4, euclidean_l2: 2 })) {
    const reply = await post(verifyPath, { ...verifyBody, distance_metric, threshold: max });
    const { threshold_false_match_rate, warnings } = reply.json();
    assert.deepEqual([threshold_false_match_rate, warnings], [null, []]);
    const { status, detail } = (
      await post(verifyPath, { ...verifyBody, distance_metric, threshold: max + 1e-6 })
    ).json();
    assert.equal(status, 400);
    assert.ok(detail.includes(`it is between 0 and ${max}. `), detail);
  }
});

test("an operator's own threshold is accepted without a warning, whatever its curve says", async (t) => {
  const curve = { pairs: 9, distances: [0.01, 0.02], ranks: [1, 9] };
  const calibrated = testModels.map((model) =>
    model.role === "embedding"
      ? { ...model, false_match_curves: { cosine: curve, euclidean: curve } }
      : model,
  );
  const { post } = testServer(t, { catalogue: new Catalogue(calibrated) });
  for (const threshold of [undefined, 0.1]) {
    const reply = (await post(verifyPath, { ...verifyBody, threshold })).json();
    assert.deepEqual([reply.threshold, reply.threshold_false_match_rate, reply.warnings], [0.1, 0.9, []]);
  }
  assert.equal((await post(verifyPath, { ...verifyBody, threshold: 0.11 })).statusCode, 400);
});

test("a threshold that is no number of 0 or more is refused", async (t) => {
  const { post } = testServer(t);
  for (const threshold of ["80", "80%", "0.5", -1, -0.1]) {
    const { error, field, detail } = (await post(verifyPath, { ...verifyBody, threshold })).json();
    assert.deepEqual([error, field], ["invalid_request", "threshold"]);
    assert.match(detail, /must be a number of 0 or more: it is a distance, by cosine from 0 to 2\.$/);
  }
});
