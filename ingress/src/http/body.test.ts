import assert from "node:assert/strict";
import { test } from "node:test";
import { CompareRequest } from "@faceline/contracts/http/compare";
import { RepresentRequest } from "@faceline/contracts/http/represent";
import { VerifyRequest } from "@faceline/contracts/http/verify";
import { Refusal } from "../refusal.ts";
import { readBody } from "./body.ts";

const hostile = [
  {},
  { SECRET: 1 },
  [],
  ["SECRET"],
  "SECRET",
  "",
  1.5,
  -1,
  Number.POSITIVE_INFINITY,
  true,
  [[]],
  [1, "SECRET"],
];

test("a detail says what the field must be, in our words, and repeats nothing of what it was", () => {
  for (const schema of [VerifyRequest, RepresentRequest, CompareRequest]) {
    const good = { img: "a", img1: "a", img2: "a", candidates: ["a"] };
    assert.doesNotThrow(() => readBody(schema, good));
    for (const field of Object.keys(schema.out.shape)) {
      const refused = hostile.flatMap((value) =>
        refusalOf(() => readBody(schema, { ...good, [field]: value })),
      );
      assert.ok(refused.length > 0, field);
      for (const { message, about } of refused) {
        assert.match(message, new RegExp(`^(${field} must be|There is no image in ${field}:) .*\\.$`));
        assert.ok(!/SECRET|invalid|expected|received|too (small|big)/i.test(message), message);
        assert.equal(about.field, field);
      }
    }
  }
});

test("a body that is no object is told so", () => {
  for (const given of [[], null, 5, "SECRET", true]) {
    const [refusal] = refusalOf(() => readBody(VerifyRequest, given));
    assert.equal(refusal?.message, "The body must be an object with the fields of the call.");
  }
});

test("`index` is 0 for img1 and 1 for img2, whatever is wrong with them", () => {
  for (const value of [undefined, null, {}, [], ["x"]]) {
    for (const [index, field] of ["img1", "img2"].entries()) {
      const [refusal] = refusalOf(() => readBody(VerifyRequest, { img1: "a", img2: "a", [field]: value }));
      assert.deepEqual(refusal?.about, { field, index });
    }
  }
});

function refusalOf(read: () => unknown): Refusal[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return [error];
  }
}
