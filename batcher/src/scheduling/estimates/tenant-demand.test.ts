import assert from "node:assert/strict";
import test from "node:test";
import { TenantDemand } from "./tenant-demand.ts";

test("a tenant that demands less than an equal share is within it, and one that floods is not", () => {
  const demand = new TenantDemand();
  const capacity = 0.3;
  for (let now = 0; now < 10_000; now += 10) demand.add("flood", 10, now);
  for (let now = 0; now < 10_000; now += 200) demand.add("quiet", 20, now);
  assert.equal(demand.isWithinShare("flood", capacity, 10_000), false);
  assert.equal(demand.isWithinShare("quiet", capacity, 10_000), true);
  // A tenant that has just begun is judged by its demand since then, not by a mean with the silence before.
  demand.add("newcomer", 20, 10_000);
  demand.add("newcomer", 20, 10_010);
  assert.equal(demand.isWithinShare("newcomer", capacity, 10_010), false);
});

test("demand is uneven while one tenant demands more than its share and another one less", () => {
  const isUneven = (perSecond: number[]) => {
    const demand = new TenantDemand();
    for (const [index, rate] of perSecond.entries()) {
      for (let now = 0; now < 10_000; now += 1_000 / rate) demand.add(`t${index}`, 1, now);
    }
    return demand.isUneven(0.02, 10_000);
  };
  assert.deepEqual([[100], [100, 100], [4, 4], [100, 2]].map(isUneven), [false, false, false, true]);
  const past = new TenantDemand();
  for (let now = 0; now < 10_000; now += 10) past.add("flood", 1, now);
  for (let now = 0; now < 10_000; now += 1_000) past.add("quiet", 1, now);
  assert.deepEqual([past.isUneven(0.02, 10_000), past.isUneven(0.02, 20_000)], [true, false]);
});

test("a tenant that is alone has no share, and a thousand tenants are remembered at most", () => {
  const demand = new TenantDemand();
  demand.add("alone", 1, 0);
  assert.equal(demand.isWithinShare("alone", 1, 1_000), false);
  for (let index = 0; index < 5_000; index++) demand.add(`t${index}`, 1, 1_000);
  assert.equal(demand.tenants, 1_000);
});

test("demand is excessive above an equal share, beside a tenant that keeps to its share", () => {
  const demand = new TenantDemand();
  for (let at = 0; at < 10_000; at += 10) {
    demand.add("flood", 10, at);
    demand.add("large", 4, at);
    demand.add("quiet", 2, at);
  }
  const excessive = (tenant: string, tasksPerMs: number) => demand.isExcessive(tenant, tasksPerMs, 10_000);
  // The share of each is 0.3 of 0.9 tasks a millisecond; they demand 1, 0.4 and 0.2.
  assert.deepEqual(
    ["flood", "large", "quiet", "other"].map((each) => excessive(each, 0.9)),
    [true, true, false, false],
  );
});

test("where all tenants demand far more than their share, none of them is excessive", () => {
  const demand = new TenantDemand();
  for (let at = 0; at < 10_000; at += 10) for (const tenant of ["a", "b"]) demand.add(tenant, 10, at);
  assert.equal(demand.isExcessive("a", 0.5, 10_000), false);
});
