import assert from "node:assert/strict";
import { test } from "node:test";
import { clientTypes } from "./client-types.ts";

test("a type has the fields, the literals and the descriptions of its schema", () => {
  const pair = { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 };
  const properties = {
    at: { anyOf: [pair, { type: "null" }], description: "A place." },
    of: { type: "array", items: { $ref: "#/components/schemas/Kind" } },
    by: { type: "object", additionalProperties: { type: ["string", "null"] } },
  };
  const Face = { type: "object", properties, required: ["at"] };
  const Kind = { enum: ["a", "b"], type: "string" };
  const types = clientTypes({ components: { schemas: { Face, Kind, FaceForm: Face, Image: Kind } } });
  assert.equal(
    types.replaceAll("export type ", ""),
    `Face = {
  /** A place. */
  at: [number, number] | null;
  of?: Array<Kind> | undefined;
  by?: Record<string, string | null> | undefined;
};

Kind = "a" | "b";

Image = string | Uint8Array | Blob;
`,
  );
  assert.throws(() => clientTypes({ components: { schemas: { Odd: { type: "tuple" } } } }), /No type for/);
});
