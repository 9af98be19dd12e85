import assert from "node:assert/strict";
import test from "node:test";
import type { LiveCallers } from "@faceline/runtime/live/state";
import { CallerHistory } from "./caller-history.ts";

const minute = 60_000;

test("each caller has its calls, bytes, refusals and calls in flight", () => {
  const history = new CallerHistory();
  const end = history.begin("ants");
  history.begin("ants");
  history.received("ants", 700, 0);
  history.ended("ants", false, 0);
  history.ended("ants", true, 4_000);
  history.ended("~keyless", false, 4_000);
  end();
  assert.deepEqual(history.read(12_000).loudest, [
    {
      caller: "ants",
      calls: { last10s: 1, all: 2 },
      bytes: { last10s: 0, all: 700 },
      refused: { last10s: 1, all: 1 },
      inFlight: 1,
    },
    { caller: "~keyless", calls: { last10s: 1, all: 1 }, ...nothing },
  ]);
  // Its call is still in flight.
  assert.deepEqual(namesOf(history.read(10 * minute)), ["ants"]);
});

test("the ten with the largest share are shown, of calls or bytes, now or in five minutes", () => {
  const history = new CallerHistory();
  for (let team = 0; team < 30; team++) repeat(100 + team, () => history.ended(`t${team}`, true, 0));
  repeat(20, () => history.ended("just-begun", false, minute));
  history.ended("large-images", false, 0);
  history.ended("~visitors", false, 0);
  history.received("large-images", 5_000_000, 0);
  const live = history.read(minute + 4_000);
  const quieter = few(8, (i) => `t${29 - i}`);
  assert.deepEqual(namesOf(live), ["just-begun", ...quieter, "large-images", "~visitors"]);
  const rest = few(22, (team) => 100 + team).reduce((sum, calls) => sum + calls);
  assert.deepEqual([live.others.calls.all, live.others.refused.all], [rest, rest]);
});

test("beyond its bound the caller that was silent for longest joins the others, and no call is lost", () => {
  const history = new CallerHistory(50);
  history.ended("~keyless", false, 0);
  for (let round = 0; round < 1_000; round++) {
    history.ended(`team-${round}`, false, 0);
    history.received(`team-${round}`, 10, 0);
    if (round % 40 === 0) history.ended("loud", false, 0);
  }
  const live = history.read(0);
  const [loud, ...rest] = live.loudest;
  assert.equal(rest.at(-1)!.caller, "~keyless");
  assert.deepEqual(loud, { caller: "loud", calls: { last10s: 0, all: 25 }, ...nothing });
  const sum = (of: "calls" | "bytes") =>
    [...live.loudest, live.others].reduce((total, each) => total + each[of].all, 0);
  assert.deepEqual([sum("calls"), sum("bytes")], [1_026, 10_000]);
  assert.deepEqual(namesOf(history.read(10 * minute)), []);
});

const none = { last10s: 0, all: 0 };
const nothing = { bytes: none, refused: none, inFlight: 0 };
const namesOf = (live: LiveCallers) => live.loudest.map(({ caller }) => caller);
const few = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, i) => of(i));
const repeat = (times: number, act: () => void) => few(times, act);
