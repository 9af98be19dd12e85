import assert from "node:assert/strict";
import test from "node:test";
import type { TaskId } from "@faceline/contracts/wire/ids";
import { bestEffortFailures } from "./best-effort.ts";
import { DeadLetters } from "./dead-letters.ts";
import { DedupedLog } from "./deduped-log.ts";

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

test("a letter that cannot be written is logged whole, those that follow by request id, and all are counted", async () => {
  const failures = () => bestEffortFailures().get("dead_letter") ?? 0;
  const before = failures();
  const lines: unknown[] = [];
  const write = (fields: unknown) => void lines.push(fields);
  using log = new DedupedLog({ info: write, warn: write, error: write });
  const { letters } = openLetters(new Error("the topic is forbidden"), log);
  const letter = (requestId: string) => ({
    topic: "faceline.tasks.default",
    task: `${requestId}/n/0` as TaskId,
    requestId,
    traceparent: "00",
    reason: "run_failed",
  });
  for (const requestId of ["a", "b", "c"]) letters.record(letter(requestId));
  await new Promise(setImmediate);
  log[Symbol.dispose]();
  const [whole, repeated] = lines as Record<string, unknown>[];
  assert.deepEqual([whole!.request_id, whole!.letter], ["a", letter("a")]);
  assert.deepEqual([repeated!.repeated, repeated!.request_ids], [2, ["b", "c"]]);
  assert.equal(failures(), before + 3);
});

test("while Kafka is away, letters beyond 1,000 are not kept", async () => {
  const { letters, lines } = openLetters(new Promise(() => {}));
  for (let offset = 0; offset < 1_010; offset++) letters.record({ ...letter, offset: `${offset}` });
  await new Promise(setImmediate);
  assert.equal(lines.length, 10);
});

function openLetters(sending: Promise<void> | Error = Promise.resolve(), dedupedLog?: DedupedLog) {
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
    log: dedupedLog ?? { error: (fields) => void lines.push(fields) },
  });
  return { letters, sent, lines, opened: () => opened };
}
