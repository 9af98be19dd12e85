import { type OpenApi, type Operation, resolve, type Schema } from "./document.ts";
import type { ExampleCall, FieldValue } from "./snippets.ts";

export type ListedOperation = { method: "get" | "post"; path: string; operation: Operation };

/** Returns the operations of a document in its order. */
export function listOperations({ paths }: OpenApi): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      if (method !== "get" && method !== "post") throw new Error(`The reference does not show ${method}`);
      return { method, path, operation };
    }),
  );
}

/** Returns the call that the document gives as example for forms, with its images as files. */
export function exampleCall(
  document: OpenApi,
  { method, path, operation }: ListedOperation,
  { origin, keysNeeded }: { origin: string; keysNeeded: boolean },
): ExampleCall {
  const content = operation.requestBody?.content ?? {};
  const [example] = Object.values(content["multipart/form-data"]?.examples ?? {});
  const form = resolve<Schema>(document, content["multipart/form-data"]?.schema ?? {});
  const files = [...fileNames];
  const fields = Object.entries(example?.value ?? {}).flatMap(([name, value]) => {
    const { format, items } = form.properties?.[name] ?? {};
    const isFile = format === "binary" || items?.format === "binary";
    return [value].flat().map((item: unknown) => ({ name, value: fieldValue(item, isFile, files) }));
  });
  return {
    origin,
    method: method === "get" ? "GET" : "POST",
    path,
    keyNeeded: keysNeeded && operation.security.length > 0,
    fields,
  };
}

function fieldValue(value: unknown, isFile: boolean, files: string[]): FieldValue {
  return isFile ? { file: files.shift()! } : { text: String(value) };
}

/** Names of the images of an example, in the order of the fields. */
const fileNames = ["first.jpg", "second.jpg", "third.jpg", "fourth.jpg"];
