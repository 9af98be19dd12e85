import { type OpenApi, resolve, type Schema } from "./reference/document.ts";
import { type ListedOperation, listOperations } from "./reference/example-call.ts";

/**
 * Returns the examples of an API as a Postman collection (v2.1), which Bruno, Insomnia and Hoppscotch import
 * too: a request for each JSON example, and one with files. The API key is the variable `apiKey`.
 */
export const postmanCollection = (document: OpenApi, origin: string) => ({
  info: {
    name: document.info.title,
    version: document.info.version,
    description: document.info.description,
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
  },
  auth: { type: "apikey", apikey: pairs({ key: "x-api-key", value: "{{apiKey}}", in: "header" }) },
  variable: pairs({ baseUrl: origin, apiKey: "" }),
  item: listOperations(document).map(({ path, ...listed }) => ({
    name: path,
    description: listed.operation.description,
    item: requestBodies(document, listed).map(({ name, body }) => ({
      name,
      request: {
        method: listed.method.toUpperCase(),
        url: `{{baseUrl}}${path}`,
        ...(listed.operation.security.length === 0 ? { auth: { type: "noauth" } } : {}),
        ...body,
      },
    })),
  })),
});

function requestBodies(document: OpenApi, { operation }: Omit<ListedOperation, "path">): NamedBody[] {
  const { "application/json": json, "multipart/form-data": form } = operation.requestBody?.content ?? {};
  if (json === undefined || form === undefined) return [{ name: operation.summary, body: {} }];
  const fields = resolve<Schema>(document, form.schema).properties ?? {};
  return [
    ...Object.values(json.examples ?? {}).map(({ summary, value }) => ({
      name: summary,
      body: {
        header: pairs({ "Content-Type": "application/json" }),
        body: { mode: "raw", raw: JSON.stringify(value, null, 2), options: { raw: { language: "json" } } },
      },
    })),
    ...Object.values(form.examples ?? {}).map(({ summary, value }) => ({
      name: summary,
      body: { body: { mode: "formdata", formdata: formFields(value as object, fields) } },
    })),
  ];
}

const formFields = (example: object, fields: Record<string, Schema>): object[] =>
  Object.entries(example).flatMap(([key, value]) => {
    const { format, items } = fields[key] ?? {};
    const isFile = format === "binary" || items?.format === "binary";
    return [value]
      .flat()
      .map((text) => (isFile ? { key, type: "file", src: [] } : { key, type: "text", value: String(text) }));
  });

const pairs = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value, type: "string" }));

type NamedBody = { name: string; body: object };
