import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "../testing/openapi-reader.ts";

// Covers the descriptions of contracts/src/http: the reference shows a field without one as a bare type.

test("every field of every request and response in the document has a description", () => {
  assert.deepEqual(undescribedFields(document, "#"), []);
});

/** Returns the paths of all fields without a description, those of objects inside fields included. */
function undescribedFields(node: unknown, path: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { properties = {}, ...rest } = node as { properties?: Record<string, { description?: string }> };
  const fields = Object.entries(properties).flatMap(([name, field]) => ({ field, path: `${path}/${name}` }));
  return [
    ...fields.filter(({ field }) => (field.description ?? "") === "").map((missed) => missed.path),
    ...fields.flatMap((each) => undescribedFields(each.field, each.path)),
    ...Object.entries(rest)
      .filter(([keyword]) => !keyword.startsWith("example"))
      .flatMap(([keyword, part]) => undescribedFields(part, `${path}/${keyword}`)),
  ];
}
