import assert from "node:assert/strict";
import test from "node:test";
import { bestEffortFailures } from "./best-effort.ts";
import { DeadLetters } from "./dead-letters.ts";

const letter = { topic: "faceline.tasks.default", partition: "0", offset: "41", reason: "not JSON" };

test("a letter is written with its headers alone, by a producer that opens with the first one", async () => {
  const { letters, sent, opened } = openLetters();
  assert.equal(opened(), 0);
  letters.record(letter);
  letters.record({ ...letter, offset: "42" });
  await new Promise(setImmediate);
  assert.equal(opened(), 1);
  assert.deepEqual(sent, [
    ["faceline.dead-letters", 0, null, letter],
    ["faceline.dead-letters", 0, null, { ...letter, offset: "42" }],
  ]);
});

test("a letter that cannot be written is logged whole and counted", async () => {
  const failures = () => bestEffortFailures().get("dead_letter") ?? 0;
  const before = failures();
  const { letters, lines } = openLetters(new Error("the topic is forbidden"));
  letters.record(letter);
  await new Promise(setImmediate);
  assert.deepEqual(lines, [{ reason: "the topic is forbidden", letter }]);
  assert.equal(failures(), before + 1);
});

test("while Kafka is away, letters beyond 1,000 are not kept", async () => {
  const { letters, lines } = openLetters(new Promise(() => {}));
  for (let offset = 0; offset < 1_010; offset++) letters.record({ ...letter, offset: `${offset}` });
  await new Promise(setImmediate);
  assert.equal(lines.length, 10);
});

function openLetters(sending: Promise<void> | Error = Promise.resolve()) {
  const sent: unknown[] = [];
  const lines: unknown[] = [];
  let opened = 0;
  const letters = new DeadLetters({
    async openProducer() {
      opened++;
      return {
        async send(...message: unknown[]) {
          if (sending instanceof Error) throw sending;
          await sending;
          sent.push(message);
        },
        async [Symbol.asyncDispose]() {},
      };
    },
    log: { error: (facts) => void lines.push(facts) },
  });
  return { letters, sent, lines, opened: () => opened };
}
