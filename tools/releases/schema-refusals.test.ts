import assert from "node:assert/strict";
import test from "node:test";
import * as z from "zod";
import { type JsonSchema, schemaRefusals } from "./schema-refusals.ts";

const refusals = (writer: z.ZodType, reader: z.ZodType) =>
  schemaRefusals(
    z.toJSONSchema(writer, { io: "output" }) as JsonSchema,
    z.toJSONSchema(reader, { io: "input" }) as JsonSchema,
  );

const before = z.object({
  id: z.string().regex(/^[a-z]+$/),
  kind: z.enum(["full", "floor"]),
  size: z.int().min(1).max(64),
  note: z.string().optional(),
  list: z.array(z.object({ at: z.number() })).max(8),
  point: z.tuple([z.int(), z.int()]),
  held: z.object({ since: z.number() }).nullable(),
});

test("the same schema, and one with a further field, are taken", () => {
  assert.deepEqual(refusals(before, before), []);
  assert.deepEqual(refusals(before.extend({ later: z.string() }), before), []);
});

test("a field that a reader needs may not be absent", () => {
  assert.deepEqual(refusals(before.omit({ size: true }), before), [
    "$.size: may be absent, and had to be there",
  ]);
  assert.deepEqual(refusals(before.extend({ size: before.shape.size.optional() }), before), [
    "$.size: may be absent, and had to be there",
  ]);
  assert.deepEqual(refusals(before.omit({ note: true }), before), []);
});

test("a default makes a field one that is always written, and never needed", () => {
  const withDefault = before.extend({ size: before.shape.size.default(1) });
  assert.deepEqual(refusals(withDefault, before), []);
  assert.deepEqual(refusals(before.omit({ size: true }), withDefault), []);
});

test("a new value, a wider bound, another type and another pattern are refused", () => {
  const changes: [z.ZodType, string][] = [
    [before.extend({ kind: z.enum(["full", "floor", "drain"]) }), "$.kind: has the new value drain"],
    [before.extend({ kind: z.string() }), "$.kind: has any value, and had full, floor"],
    [before.extend({ size: z.int().min(1).max(256) }), "$.size: maximum is 256, and was 64"],
    [before.extend({ point: z.tuple([z.int(), z.number()]) }), "$.point[1]: is number, and was integer"],
    [before.extend({ size: z.int().max(64) }), "$.size: minimum is -9007199254740991, and was 1"],
    [before.extend({ id: z.string().regex(/^[a-z-]+$/) }), "$.id: has another pattern"],
    [
      before.extend({ list: z.array(z.object({ at: z.number() })) }),
      "$.list: maxItems is not bounded, and was 8",
    ],
    [
      before.extend({ list: z.array(z.object({ at: z.string() })).max(8) }),
      "$.list[].at: is string, and was number",
    ],
    [
      before.extend({ held: z.object({ since: z.number() }).nullable().optional() }),
      "$.held: may be absent, and had to be there",
    ],
  ];
  for (const [writer, refusal] of changes) assert.deepEqual(refusals(writer, before), [refusal]);
});

test("each kind that is sent must be one that is read", () => {
  const faces = z.object({ kind: z.literal("faces"), count: z.int() });
  const shed = z.object({ kind: z.literal("shed"), reason: z.string() });
  const late = z.object({ kind: z.literal("late"), byMs: z.number() });
  const one = z.discriminatedUnion("kind", [faces, shed]);
  assert.deepEqual(refusals(one, one), []);
  assert.deepEqual(refusals(z.discriminatedUnion("kind", [faces]), one), []);
  assert.notDeepEqual(refusals(z.discriminatedUnion("kind", [faces, shed, late]), one), []);
});

test("a strict reader takes no new field", () => {
  const strict = z.strictObject({ a: z.string() });
  assert.deepEqual(refusals(z.object({ a: z.string(), b: z.string() }), strict), [
    "$.b: is new, and unknown fields were refused",
  ]);
});
