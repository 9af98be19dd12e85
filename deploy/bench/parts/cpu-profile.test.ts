import assert from "node:assert/strict";
import test from "node:test";
import { type CpuProfile, selfTimes } from "./cpu-profile.ts";

const node = (id: number, functionName: string, url = "") => ({ id, callFrame: { functionName, url } });
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [
    node(1, "(root)"),
    node(2, "outer", "file:///x/ingress/src/http/app.ts"),
    node(3, "inner", "file:///x/node_modules/@scope/name/lib/file.js"),
    node(4, "(idle)"),
  ],
  samples: [3, 2, 4, 3],
  timeDeltas: [1_000, 2_000, 50_000, 4_000],
};

test("a function has its own samples, named with its package or file, and idle time is left out", () => {
  assert.deepEqual(Object.fromEntries(selfTimes(profile, { fromUs: 0, toUs: Number.MAX_VALUE })), {
    "inner (@scope/name)": 5,
    "outer (http/app.ts)": 2,
  });
});

test("samples outside the measured time are left out", () => {
  const times = selfTimes(profile, { fromUs: 2_500, toUs: 10_000 });
  assert.deepEqual(Object.fromEntries(times), { "outer (http/app.ts)": 2 });
});
