import type { ExampleCall } from "../docs/reference/snippets.ts";
import type { TesterSettings } from "./settings.ts";

/** Returns the call of the public API that does the same as a call of the tester. */
export function callExample(
  { call, model, detector, metric, threshold }: TesterSettings,
  { origin, keyNeeded, files }: { origin: string; keyNeeded: boolean; files: string[] },
): ExampleCall {
  const [first = "first.jpg", ...others] = files;
  const pictures = {
    verify: [named("img1", first), named("img2", others[0] ?? "second.jpg")],
    represent: [named("img", first)],
    compare: [
      named("img", first),
      ...(others.length === 0 ? ["second.jpg"] : others).map((file) => named("candidates", file)),
    ],
  };
  const comparison = call === "represent" ? {} : { distance_metric: metric, threshold };
  const texts = Object.entries({ model_name: model, detector_backend: detector, ...comparison });
  return {
    origin,
    method: "POST",
    path: `/${call}`,
    keyNeeded,
    fields: [
      ...pictures[call],
      ...texts.flatMap(([name, value]) =>
        value === undefined ? [] : [{ name, value: { text: String(value) } }],
      ),
    ],
  };
}

const named = (name: string, file: string) => ({ name, value: { file: shellSafe(file) } });

/** A file name without what a shell or a string of a program would read as its own. */
const shellSafe = (file: string): string =>
  file.replaceAll(/[^\w.-]+/g, "-").replace(/^-+/, "") || "picture.jpg";
