// Covers run-view.ts too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Failure, unreachable } from "./failure.ts";
import { nextTickAt, type RunEvent, type RunState, sendingOf, transition } from "./run-state.ts";
import { viewOf } from "./run-view.ts";

type Inputs = { images: string; threshold: number };
type Answer = Inputs;
type State = RunState<Inputs, Answer>;
type Event = RunEvent<Inputs, Answer>;

/** The images in the slots, a question mark for one that is being decoded, and the setting. */
type World = { slots: [string, string]; threshold: number };
type Place = { world: World; state: State; now: number; sent: Inputs[]; step: string; from?: Place };

const busy: Failure = { headline: "busy", explanation: "", retryAfterS: 2 };
const final: Failure = { headline: "no face", explanation: "" };

/** Places one step away: what the visitor, the service and the clock can do. */
function* stepsFrom(from: Place): Iterable<Place> {
  const { world, state, now, sent } = from;
  const step = (name: string, event: Event, next: Partial<Place> = {}): Place => {
    const at = next.now ?? now;
    const after = transition(state, event, at);
    const sending = sendingOf(after)?.inputs;
    const isNew = sending !== undefined && !sent.includes(sending);
    return {
      world: next.world ?? world,
      state: after,
      now: at,
      sent: isNew ? [...sent, sending].slice(-2) : sent,
      step: name,
      from,
    };
  };
  const changed = (name: string, to: World, kept?: Answer): Place => {
    const { slots, threshold } = to;
    if (slots.includes("?")) return step(name, { kind: "reading" }, { world: to });
    if (slots.includes(""))
      return step(name, { kind: "incomplete", missing: "add", refusal: "" }, { world: to });
    const inputs = sameAs(sent, { images: slots.join(), threshold });
    const event: Event = { kind: "changed", inputs, settleMs: 200, ...(kept && { kept }) };
    return step(name, event, { world: to });
  };
  for (const slot of [0, 1] as const) {
    const put = (image: string): World => ({
      ...world,
      slots: world.slots.with(slot, image) as World["slots"],
    });
    yield changed(`read ${slot}`, put("?"));
    yield changed(`remove or refuse ${slot}`, put(""));
    // Two images in one slot alone: more of them are the same states under other names.
    const images = slot === 0 ? ["a", "b"] : ["c"];
    if (world.slots[slot] === "?") for (const image of images) yield changed(`show ${image}`, put(image));
  }
  const threshold = 1 - world.threshold;
  yield changed("set the threshold", { ...world, threshold });
  const answer = state.kind === "answer" ? state.answer : state.kind === "running" ? state.kept : undefined;
  if (answer !== undefined)
    yield changed("move the threshold", { ...world, threshold }, { ...answer, threshold });
  for (const inputs of sent) {
    yield step("answer", { kind: "answered", inputs, answer: inputs });
    for (const failure of [busy, final, unreachable])
      yield step(failure.headline, { kind: "failed", inputs, failure });
  }
  yield step("reached", { kind: "reached" });
  for (const ms of [100, 300, 3_000]) yield step(`wait ${ms}`, { kind: "tick" }, { now: now + ms });
}

const sameAs = (sent: Inputs[], inputs: Inputs): Inputs =>
  sent.find((each) => JSON.stringify(each) === JSON.stringify(inputs)) ?? inputs;

test("a walk over all reachable states: no answer stands beside other images or settings than its own", () => {
  const start: World = { slots: ["?", "?"], threshold: 0 };
  const state: State = { kind: "running", step: { kind: "reading" }, startedAt: 0 };
  const queue: Place[] = [{ world: start, state, now: 0, sent: [], step: "" }];
  const seen = new Set<string>();
  const kinds = new Set<string>();
  for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
    const key = keyOf(place);
    if (seen.has(key)) continue;
    seen.add(key);
    kinds.add(kindOf(place));
    assertTrue(place);
    queue.push(...stepsFrom(place));
  }
  assert.deepEqual([...kinds].toSorted(), [
    "answer",
    "empty",
    "failure, final",
    "failure, retries",
    "failure, unreachable",
    "running, reading, busy",
    "running, reading, counted",
    "running, reading, just begun",
    "running, sending, busy",
    "running, sending, counted",
    "running, sending, just begun",
    "running, sending, kept",
    "running, settling, busy",
    "running, settling, counted",
    "running, settling, just begun",
    "running, settling, kept",
  ]);
  assert.ok(seen.size > 500, `${seen.size} states`);
});

function assertTrue(place: Place): void {
  const { world, state, now } = place;
  const view = viewOf(state, "verify", now);
  const context = (): string => `${JSON.stringify({ world, state, view })} by ${pathTo(place)}`;
  const isComplete = !world.slots.includes("?") && !world.slots.includes("");
  const images = world.slots.join();
  if (!view.isStale && view.kind === "answer") {
    const answer = state.kind === "answer" ? state.answer : state.kind === "running" ? state.kept : undefined;
    assert.ok(isComplete, context());
    assert.deepEqual(answer, { images, threshold: world.threshold }, context());
  }
  if (state.kind === "failure")
    assert.deepEqual(state.inputs, { images, threshold: world.threshold }, context());
  if (state.kind === "empty") assert.ok(world.slots.includes(""), context());
  if (state.kind === "answer") assert.ok(!view.isEvidenceStale, context());
  if (state.kind === "running") {
    assert.ok(view.isEvidenceStale, context());
    assert.ok(!world.slots.includes("") || world.slots.includes("?"), context());
    // It continues by itself, except while it waits for the service or for an image.
    assert.ok(nextTickAt(state, now)! > now, context());
  }
  // Only an answer speaks for itself; each other state says what is going on, at the latest after 300 ms.
  assert.ok((view.status === undefined) === (view.kind === "answer"), context());
}

const pathTo = ({ step, from }: Place): string => (from === undefined ? "" : `${pathTo(from)} > ${step}`);

function kindOf({ state, now }: Place): string {
  if (state.kind === "failure") {
    const { failure } = state;
    return `failure, ${failure.isUnreachable ? "unreachable" : failure.retryAfterS ? "retries" : "final"}`;
  }
  if (state.kind !== "running") return state.kind;
  const waited = now - state.startedAt;
  const shown = state.kept ? "kept" : waited < 300 ? "just begun" : waited < 3_000 ? "busy" : "counted";
  return `running, ${state.step.kind}, ${shown}`;
}

/** Two places with one key have the same future: instants count by how far away they are. */
function keyOf(place: Place): string {
  const { world, state, now, sent } = place;
  const until = (at: number | undefined): number | undefined => at && Math.max(0, at - now);
  const left =
    state.kind === "failure"
      ? until(state.retryAt)
      : state.kind === "running" && state.step.kind === "settling"
        ? until(state.step.sendAt)
        : undefined;
  const inputs = sendingOf(state)?.inputs ?? ("inputs" in state ? state.inputs : undefined);
  return JSON.stringify([kindOf(place), world, left, inputs, sent]);
}

test("the words of a wait: none at first, then what goes on, then a count", () => {
  const state: State = { kind: "running", step: { kind: "reading" }, startedAt: 1_000 };
  const shown = [1_000, 1_299, 1_300, 3_999, 4_000, 65_999].map((now) => {
    const { headline, explanation, status } = viewOf(state, "verify", now);
    return [headline, explanation, status];
  });
  assert.deepEqual(shown, [
    [undefined, undefined, ""],
    [undefined, undefined, ""],
    ["Reading the image…", "", "Reading the image…"],
    ["Reading the image…", "", "Reading the image…"],
    ["Reading the image…", "Still working, 3 s", "Still working"],
    ["Reading the image…", "Still working, 64 s", "Still working"],
  ]);
  assert.deepEqual(
    [1_000, 1_300, 4_000, 4_700].map((now) => nextTickAt(state, now)),
    [1_300, 4_000, 5_000, 5_000],
  );
});

test("a retry is announced second by second, and counts the retries of one request", () => {
  const inputs: Inputs = { images: "a,b", threshold: 0 };
  const sending: State = {
    kind: "running",
    step: { kind: "sending", inputs, sentAt: 0, retries: 1 },
    startedAt: 0,
  };
  const failed = transition(sending, { kind: "failed", inputs, failure: busy }, 1_000);
  const views = [1_000, 1_001, 2_000, 3_000].map((now) => viewOf(failed, "verify", now).retryInS);
  assert.deepEqual(views, [2, 2, 1, 1]);
  assert.deepEqual(
    [1_000, 1_400, 2_000].map((now) => nextTickAt(failed, now)),
    [2_000, 2_000, 3_000],
  );
  assert.equal(transition(failed, { kind: "tick" }, 2_999), failed);
  assert.equal(sendingOf(transition(failed, { kind: "tick" }, 3_000))?.retries, 2);
  assert.equal(transition(failed, { kind: "reached" }, 3_000), failed);
});
