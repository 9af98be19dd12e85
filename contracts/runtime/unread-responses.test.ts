import assert from "node:assert/strict";
import { test } from "node:test";
import { nextUnreadState, type UnreadState } from "./unread-responses.ts";

test("a connection stalls when less than 10 KiB were read in ten checks", () => {
  assert.equal(
    checksUntilStalled((check) => check * 1_000),
    10,
  );
  assert.equal(
    checksUntilStalled(() => 7),
    10,
  );
  assert.equal(
    checksUntilStalled((check) => check * 1_100),
    undefined,
  );
});

test("a connection with nothing to read never stalls, and begins anew", () => {
  let state: UnreadState | "stalled";
  for (let check = 0; check < 100; check++) {
    assert.notEqual(state, "stalled");
    state = nextUnreadState(state as UnreadState, { waitingBytes: check % 9 === 0 ? 0 : 5, readBytes: 0 });
  }
});

/** Undefined: not within 100 checks. */
function checksUntilStalled(readBytes: (check: number) => number): number | undefined {
  let state: UnreadState;
  for (let check = 0; check < 100; check++) {
    const next = nextUnreadState(state, { waitingBytes: 1, readBytes: readBytes(check) });
    if (next === "stalled") return check;
    state = next;
  }
  return undefined;
}
