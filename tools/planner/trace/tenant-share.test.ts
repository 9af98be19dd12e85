import assert from "node:assert/strict";
import test from "node:test";
import { newTrace } from "../testing/fixtures.ts";
import { withTenantShare } from "./tenant-share.ts";

test("one tenant sends its share in every stretch of the trace, and nothing else changes", () => {
  const trace = newTrace({ tenants: 4, seconds: 100 });
  const mixed = withTenantShare(trace, 0.3);
  const own = (from: number, until: number) => {
    const tenants = mixed.columns.tenant.subarray(from, until);
    return tenants.filter((each) => each === Math.max(...mixed.columns.tenant)).length;
  };
  for (const from of [0, 17, 500]) assert.ok(Math.abs(own(from, from + 100) - 30) <= 1, `from ${from}`);
  assert.equal(new Set(mixed.columns.tenant).size, 5);
  assert.equal(new Set(trace.columns.tenant).size, 4, "the trace itself is as before");
  assert.equal(mixed.columns.atMs, trace.columns.atMs);
});
