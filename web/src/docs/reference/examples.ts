import { each, type Html, html, nothing } from "@faceline/runtime/design/html";
import { codeBlock } from "../code-block.ts";
import { type ApiResponse, type OpenApi, resolve } from "./document.ts";
import type { ListedOperation } from "./example-call.ts";

type Example = { summary: string; value: unknown };

/** Returns the examples of an operation: the first body and response, and the others to be opened. */
export function exampleBlocks({ path, operation }: ListedOperation, response: ApiResponse): Html {
  const { requestBody } = operation;
  const [body, ...otherBodies] = examplesIn(requestBody?.content?.["application/json"]);
  const [first, ...otherResponses] = examplesIn(response.content?.["application/json"]);
  return html`!${exampleBlock(path, "Body", body)}!${exampleBlock(path, "Response", first)}!${moreExamples(
    path,
    [
      ...otherBodies.map((example) => ({ title: "Body", example })),
      ...otherResponses.map((example) => ({ title: "Response", example })),
    ],
  )}`;
}

/** The examples of the response to a POST. */
export function responseExamples(document: OpenApi, path: string): Example[] {
  return examplesIn(
    resolve(document, document.paths[path]!["post"]!.responses["200"]!).content?.["application/json"],
  );
}

const examplesIn = (media: { examples?: Record<string, Example> } | undefined): Example[] =>
  Object.values(media?.examples ?? {});

function exampleBlock(path: string, title: string, example: Example | undefined): Html {
  if (example === undefined) return nothing;
  const caption = `${title}: ${lowerFirst(example.summary)}`;
  return codeBlock({
    caption,
    // Operations share summaries, and a region needs a name of its own.
    label: `${path}, ${caption}`,
    code: exampleText(example.value),
    language: "json",
  });
}

function moreExamples(path: string, examples: { title: string; example: Example }[]): Html {
  if (examples.length === 0) return nothing;
  return html`<details class="more"><summary>More examples</summary>
!${each(examples, ({ title, example }) => exampleBlock(path, title, example))}</details>`;
}

/** Returns an example as JSON, with long texts cut and long lists of numbers shortened. */
export function exampleText(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => shortened(inner), 2);
  // Short lists of numbers stand on one line.
  return text
    .replaceAll(/\[\s+(-?[\d.]+(?:,\s+-?[\d.]+)*)(,\s+"…")?\s+\]/g, (list) =>
      list.replaceAll(/\s+/g, " ").replace("[ ", "[").replace(" ]", "]"),
    )
    .replaceAll('"…"', "…");
}

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > textMax) return `${value.slice(0, textShown)}…`;
  if (Array.isArray(value) && value.length > numbersMax && typeof value[0] === "number") {
    return [...value.slice(0, numbersShown), "…"];
  }
  return value;
}

/** `As clients send it` → `as clients send it`, but not `JSON`. */
const lowerFirst = (text: string): string =>
  text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

const textMax = 60;
const textShown = 32;
const numbersMax = 8;
const numbersShown = 3;
