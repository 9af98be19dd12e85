// Covers the names of all outboxes and inboxes, and the imports of deploy.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findFiles, read } from "./source.ts";

test("every X-outbox.ts of a service has an X-inbox.ts in another service", () => {
  assert.deepEqual(messages("outbox"), messages("inbox"));
});

test("no service has both the only outbox and the inbox of a message", () => {
  for (const message of messages("inbox")) {
    const [from, to] = [servicesWith(message, "outbox"), servicesWith(message, "inbox")];
    assert.ok(
      to.every((service) => !from.includes(service)),
      `${message}: ${from.join()} → ${to.join()}`,
    );
  }
});

test("the launcher starts the services and imports none of them", () => {
  const files = findFiles("deploy/**/*.{ts,mjs}");
  assert.ok(files.length > 10);
  const importing = files.filter((file) =>
    /from "(@faceline\/|(\.\.\/)+)(ingress|batcher|inference)\b/.test(read(file)),
  );
  assert.deepEqual(importing, []);
});

const messages = (end: "inbox" | "outbox"): string[] => [
  ...new Set(boxes(end).map(({ message }) => message)),
];

const servicesWith = (message: string, end: "inbox" | "outbox"): string[] =>
  boxes(end)
    .filter((box) => box.message === message)
    .map(({ service }) => service);

/** `batcher/src/task-inbox.ts` is the inbox of `task` in the batcher. */
function boxes(end: "inbox" | "outbox"): { service: string; message: string }[] {
  return findFiles(`*/src/*-${end}.ts`)
    .map((path) => {
      const [service = "", , file = ""] = path.split("/");
      return { service, message: file.replace(`-${end}.ts`, "") };
    })
    .toSorted((one, other) => one.message.localeCompare(other.message));
}
