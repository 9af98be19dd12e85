import type { ExampleCall } from "../docs/reference/snippets.ts";
import type { TesterSettings } from "./settings.ts";

/** Returns the request to the public API that does the same as a request of the tester. */
export function callExample(
  { call, model, detector, metric, threshold }: TesterSettings,
  { origin, keyNeeded, files, faceIndex }: ExampleFacts,
): ExampleCall {
  const [first = "first.jpg", ...others] = files;
  const images = {
    verify: [named("img1", first), named("img2", others[0] ?? "second.jpg")],
    represent: [named("img", first)],
    compare: [
      named("img", first),
      ...(others.length === 0 ? ["second.jpg"] : others).map((file) => named("candidates", file)),
    ],
  };
  const comparison = call === "represent" ? {} : { distance_metric: metric, threshold };
  const source = call === "compare" ? { face_index: faceIndex } : {};
  const texts = Object.entries({ model_name: model, detector_backend: detector, ...comparison, ...source });
  return {
    origin,
    method: "POST",
    path: `/${call}`,
    keyNeeded,
    fields: [
      ...images[call],
      ...texts.flatMap(([name, value]) =>
        value === undefined ? [] : [{ name, value: { text: String(value) } }],
      ),
    ],
  };
}

type ExampleFacts = {
  origin: string;
  keyNeeded: boolean;
  /** Names of the images, in the order of the request. */
  files: string[];
  /** Face of the source of a comparison, counted from 0; undefined: the largest. */
  faceIndex?: number | undefined;
};

const named = (name: string, file: string) => ({ name, value: { file: shellSafe(file) } });

/** A file name without characters that mean something to a shell or in a program's string. */
const shellSafe = (file: string): string =>
  file.replaceAll(/[^\w.-]+/g, "-").replace(/^-+/, "") || "image.jpg";
