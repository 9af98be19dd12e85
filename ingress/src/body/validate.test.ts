import assert from "node:assert/strict";
import { test } from "node:test";
import { CompareRequest } from "@faceline/contracts/http/compare";
import { RepresentRequest } from "@faceline/contracts/http/represent";
import { VerifyRequest } from "@faceline/contracts/http/verify";
import { ApiError } from "../call/api-error.ts";
import { validate } from "./validate.ts";

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

test("the detail of an error says what the field must be and repeats nothing that was sent", () => {
  for (const schema of [VerifyRequest, RepresentRequest, CompareRequest]) {
    const good = { img: "a", img1: "a", img2: "a", candidates: ["a"] };
    assert.doesNotThrow(() => validate(schema, good));
    for (const field of Object.keys(schema.out.shape)) {
      const errors = hostile.flatMap((value) =>
        errorsOf(() => validate(schema, { ...good, [field]: value })),
      );
      assert.ok(errors.length > 0, field);
      for (const { message, details } of errors) {
        assert.match(message, new RegExp(`^(${field} (must be|is)|There is no image in ${field}:) .*\\.$`));
        assert.ok(!/SECRET|invalid|expected|received|too (small|big)/i.test(message), message);
        assert.equal(details.field, field);
      }
    }
  }
});

test("a body that is not an object is an error of its own", () => {
  for (const value of [[], null, 5, "SECRET", true]) {
    const [error] = errorsOf(() => validate(VerifyRequest, value));
    assert.equal(error?.message, "The body must be an object with the fields of the request.");
  }
});

test("`index` is 0 for img1 and 1 for img2, whatever is wrong with them", () => {
  for (const value of [undefined, null, {}, [], [1, "x"]]) {
    for (const [index, field] of ["img1", "img2"].entries()) {
      const [error] = errorsOf(() => validate(VerifyRequest, { img1: "a", img2: "a", [field]: value }));
      assert.deepEqual(error?.details, { field, index });
    }
  }
});

function errorsOf(read: () => unknown): ApiError[] {
  try {
    read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return [error];
  }
}
