import assert from "node:assert/strict";
import test from "node:test";
import { RecentTenants } from "./recent-tenants.ts";

test("several tenants are recent while calls of more than one came in the last five seconds", () => {
  const tenants = new RecentTenants();
  tenants.add("a", 0);
  tenants.add("a", 10);
  assert.equal(tenants.areSeveral(10), false);
  tenants.add("b", 20);
  assert.equal(tenants.areSeveral(20), true);
  tenants.add("b", 5_000);
  assert.equal(tenants.areSeveral(5_019), true);
  assert.equal(tenants.areSeveral(5_020), false);
});
