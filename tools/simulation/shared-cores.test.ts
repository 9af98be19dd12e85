import assert from "node:assert/strict";
import test from "node:test";
import { EventQueue } from "./event-queue.ts";
import { SharedCores } from "./shared-cores.ts";

test("a job alone takes its CPU time, and as many jobs as cores do not disturb each other", () => {
  assert.deepEqual(
    endsOf({ cores: 2, slowdown: [1] }, [
      [0, 10],
      [4, 10],
    ]),
    [10, 14],
  );
});

test("more jobs than cores share them in equal parts", () => {
  // Until 10 each of three gets two thirds; then the two that are left have a core each.
  assert.deepEqual(
    endsOf({ cores: 2, slowdown: [1] }, [
      [0, 20],
      [0, 20],
      [0, 20 / 3],
    ]),
    [70 / 3, 70 / 3, 10].map(rounded),
  );
});

test("a job slows the others down as soon as it comes, and no longer than until it ends", () => {
  assert.deepEqual(
    endsOf({ cores: 1, slowdown: [1] }, [
      [0, 10],
      [5, 2],
    ]),
    [12, 9],
  );
});

test("jobs on other cores cost as much as was measured, and a crowd beyond it shares", () => {
  assert.deepEqual(
    endsOf({ cores: 2, slowdown: [1, 1.5] }, [
      [0, 10],
      [0, 10],
    ]),
    [15, 15],
  );
  const four = Array.from({ length: 4 }, (): [number, number] => [0, 10]);
  assert.deepEqual(endsOf({ cores: 2, slowdown: [1, 1.5] }, four), [30, 30, 30, 30]);
});

test("a brief job takes a core from a long one, and brief ones share where they are more than the cores", () => {
  const events = new EventQueue(0);
  const cores = new SharedCores(events, { cores: 1, slowdown: [1] });
  const ends: Record<string, number> = {};
  const run = (name: string, cpuMs: number, isBrief: boolean) =>
    cores.run(cpuMs, () => void (ends[name] = rounded(events.now)), { isBrief });
  run("long", 10, false);
  events.at(4, () => {
    run("brief", 2, true);
    run("other brief", 2, true);
  });
  events.runUntil(1_000);
  assert.deepEqual(ends, { brief: 8, "other brief": 8, long: 14 });
});

test("a job without CPU time ends at once", () => {
  assert.deepEqual(
    endsOf({ cores: 1, slowdown: [1] }, [
      [0, 10],
      [3, 0],
    ]),
    [10, 3],
  );
});

/** The instants at which jobs end that come at an instant and need so much CPU time, in ms. */
function endsOf(machine: { cores: number; slowdown: number[] }, jobs: [number, number][]): number[] {
  const events = new EventQueue(0);
  const cores = new SharedCores(events, machine);
  const ends: number[] = [];
  for (const [index, [atMs, cpuMs]] of jobs.entries()) {
    events.at(atMs, () => cores.run(cpuMs, () => void (ends[index] = rounded(events.now))));
  }
  events.runUntil(1_000);
  assert.equal(cores.active, 0);
  return ends;
}

const rounded = (ms: number): number => Number(ms.toFixed(6));
