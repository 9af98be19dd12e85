import assert from "node:assert/strict";
import test from "node:test";
import type { Call } from "@faceline/simulation/simulated-clients";
import { CallRecorder } from "./call-recorder.ts";
import { missedLimits, parseTarget } from "./target.ts";

test("a target is read with its units", () => {
  assert.deepEqual(parseTarget("p99<300ms, shed < 0.1%,late<1%,p50<1.5s"), {
    p99: 300,
    shed: 0.001,
    late: 0.01,
    p50: 1_500,
  });
});

for (const text of ["", "p99<300", "p99>300ms", "p99<3%", "shed<3ms", "p95<3ms", "p99<-3ms"]) {
  test(`"${text}" is refused with an example`, () => {
    assert.throws(() => parseTarget(text), /is not a target.*p99<300ms,shed<0.1%/);
  });
}

test("a limit is missed as soon as the calls that exceed it are too many of all", () => {
  const recorder = recorded({ slow: 1, fast: 97, shed: 2 });
  assert.deepEqual(missedLimits({ p99: 100 }, recorder, 100), ["p99"], "1 of 98 answered calls is above 1%");
  assert.deepEqual(missedLimits({ p99: 100 }, recorder, 200), [], "99 of 198 are still to come");
  assert.deepEqual(missedLimits({ shed: 0.01 }, recorder, 199), ["shed"]);
  assert.deepEqual(missedLimits({ shed: 0.01 }, recorder, 200), []);
  assert.deepEqual(missedLimits({ p50: 5, late: 0 }, recorder, 100), ["p50"]);
});

function recorded({ slow, fast, shed }: { slow: number; fast: number; shed: number }): CallRecorder {
  const recorder = new CallRecorder([100, 5]);
  const call = (kind: "faces" | "shed", at: number) =>
    ({
      tenant: "a",
      arrivedAt: 0,
      deadlineAt: 1_000,
      tasks: ["t"],
      answers: [{ task: "t", kind, at }],
    }) as unknown as Call;
  for (let i = 0; i < slow; i++) recorder.record(call("faces", 500));
  for (let i = 0; i < fast; i++) recorder.record(call("faces", 10));
  for (let i = 0; i < shed; i++) recorder.record(call("shed", 10));
  return recorder;
}
