import type { Snippets } from "../code-block.ts";

/** One call of the API as a program would make it. */
export type ExampleCall = {
  origin: string;
  method: "GET" | "POST";
  path: string;
  keyNeeded: boolean;
  /** Fields in the order in which they are sent. A list is a name that repeats. */
  fields: { name: string; value: FieldValue }[];
};

/** An image is sent as a file. */
export type FieldValue = { file: string } | { text: string };

/** Returns the call in three languages, as a form if it has fields. */
export const callSnippets = (call: ExampleCall): Snippets => ({
  curl: curlCall(call),
  python: pythonCall(call),
  typescript: typescriptCall(call),
});

function curlCall({ origin, path, keyNeeded, fields }: ExampleCall): string {
  const lines = [
    `curl ${origin}${path}`,
    ...(keyNeeded ? ['-H "x-api-key: $FACELINE_KEY"'] : []),
    ...fields.map(({ name, value }) =>
      "file" in value ? `-F ${name}=@${value.file}` : `-F ${name}=${value.text}`,
    ),
  ];
  return lines.join(" \\\n  ");
}

/** Call with the library requests, which most programs have. */
function pythonCall({ origin, method, path, keyNeeded, fields }: ExampleCall): string {
  const files = fields.flatMap(({ name, value }) =>
    "file" in value ? [`("${name}", open("${value.file}", "rb"))`] : [],
  );
  const texts = fields.flatMap(({ name, value }) => ("text" in value ? [`"${name}": "${value.text}"`] : []));
  const options = [
    `"${origin}${path}"`,
    ...(keyNeeded ? ['headers={"x-api-key": os.environ["FACELINE_KEY"]}'] : []),
    ...(files.length === 0 ? [] : [`files=[${files.map((file) => `\n        ${file},`).join("")}\n    ]`]),
    ...(texts.length === 0 ? [] : [`data={${texts.join(", ")}}`]),
  ];
  const call =
    options.length === 1
      ? `requests.${method.toLowerCase()}(${options[0]})`
      : `requests.${method.toLowerCase()}(\n${options.map((option) => `    ${option},\n`).join("")})`;
  return [
    ...(keyNeeded ? ["import os", ""] : []),
    "import requests",
    "",
    `response = ${call}`,
    "if not response.ok:",
    "    raise SystemExit(response.text)",
    "print(response.json())",
  ].join("\n");
}

/** Call with fetch, for Node 24, which runs TypeScript as it is. */
function typescriptCall({ origin, method, path, keyNeeded, fields }: ExampleCall): string {
  const append = fields.map(({ name, value }) =>
    "file" in value
      ? `form.append("${name}", await openAsBlob("${value.file}"));`
      : `form.append("${name}", "${value.text}");`,
  );
  const form = append.length === 0 ? [] : ["const form = new FormData();", ...append, ""];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(keyNeeded ? ['  headers: { "x-api-key": process.env.FACELINE_KEY! },'] : []),
    ...(append.length === 0 ? [] : ["  body: form,"]),
  ];
  const address = `"${origin}${path}"`;
  return [
    ...(append.some((line) => line.includes("openAsBlob"))
      ? ['import { openAsBlob } from "node:fs";', ""]
      : []),
    ...form,
    ...(options.length === 0
      ? [`const response = await fetch(${address});`]
      : [`const response = await fetch(${address}, {`, ...options, "});"]),
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(await response.json());",
  ].join("\n");
}
