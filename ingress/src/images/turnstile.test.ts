import assert from "node:assert/strict";
import { test } from "node:test";
import { Turnstile } from "./turnstile.ts";

test("a turnstile lets so many through, so many wait, and refuses the rest", async () => {
  const turnstile = new Turnstile({ insideMax: 1, waitingMax: 1 });
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const entered: number[] = [];
  const [first, second] = gates.map((gate, i) =>
    turnstile.through(() => {
      entered.push(i);
      return gate.promise;
    }),
  );

  await assert.rejects(
    turnstile.through(async () => "third"),
    { code: "queue_full" },
  );
  assert.deepEqual(entered, [0]);
  gates[0]!.resolve("one");
  assert.equal(await first, "one");
  assert.deepEqual(entered, [0, 1]);
  gates[1]!.reject(new Error("two"));
  await assert.rejects(second!, { message: "two" });
  assert.equal(await turnstile.through(async () => "free again"), "free again");
});
