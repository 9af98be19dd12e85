import assert from "node:assert/strict";
import test from "node:test";
import { newProfile, newTrace } from "../testing/fixtures.ts";
import { requireMeasuredSizes } from "./measured-sizes.ts";

const profile = newProfile();
const modelled = newProfile({ preparation: { ...profile.preparation, measuredSizes: null } });
const traceOf = (bytes: number, pixels: number) => newTrace({ imageSize: { bytes, pixels }, seconds: 1 });

test("images up to the largest that were measured are accepted, and smaller ones always", () => {
  requireMeasuredSizes(traceOf(2_000_000, 4_000_000), profile);
  requireMeasuredSizes(traceOf(70, 1), profile);
});

for (const [unit, bytes, pixels] of [
  ["bytes", 2_000_001, 4_000_000],
  ["pixels", 2_000_000, 4_000_001],
] as const) {
  test(`images of more ${unit} are refused with how many there are, and how to measure them`, () => {
    const trace = traceOf(bytes, pixels);
    const [largest, most] = unit === "bytes" ? [2_000_001, 2_000_000] : [4_000_001, 4_000_000];
    assert.throws(() => requireMeasuredSizes(trace, profile), {
      name: "RangeError",
      message:
        `The trace has images of up to ${largest} ${unit}, and the profile was measured with up to ${most} ` +
        `(${trace.images} of ${trace.images} images are larger). ` +
        "Run npm run plan -- calibrate --images FOLDER with images that large.",
    });
  });
}

test("a profile of an engine that decodes nothing refuses nothing", () => {
  requireMeasuredSizes(traceOf(20_000_000, 80_000_000), modelled);
});
