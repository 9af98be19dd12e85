import assert from "node:assert/strict";
import test from "node:test";
import { TenantDemand } from "./tenant-demand.ts";

test("who asks for less than an equal share is within it, and who floods is not, refused or not", () => {
  const offers = new TenantDemand();
  const capacity = 0.3;
  for (let now = 0; now < 10_000; now += 10) offers.add("flood", 10, now);
  for (let now = 0; now < 10_000; now += 200) offers.add("quiet", 20, now);
  assert.equal(offers.isWithinShare("flood", capacity, 10_000), false);
  assert.equal(offers.isWithinShare("quiet", capacity, 10_000), true);
  // Who has just begun is judged by what it asks for since, not by a mean with the silence before.
  offers.add("newcomer", 20, 10_000);
  offers.add("newcomer", 20, 10_010);
  assert.equal(offers.isWithinShare("newcomer", capacity, 10_010), false);
});

test("one that is alone has no share to keep to, and a thousand tenants are remembered", () => {
  const offers = new TenantDemand();
  offers.add("alone", 1, 0);
  assert.equal(offers.isWithinShare("alone", 1, 1_000), false);
  for (let index = 0; index < 5_000; index++) offers.add(`t${index}`, 1, 1_000);
  assert.equal(offers.tenants, 1_000);
});
