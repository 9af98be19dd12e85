import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { repository } from "../launcher/state-folder.ts";

test("what one service puts in an outbox, another takes from the inbox of the same name", () => {
  assert.deepEqual(messages("outbox"), messages("inbox"));
});

test("nobody takes from an inbox what only they put in the outbox", () => {
  for (const message of messages("inbox")) {
    const [from, to] = [ends(message, "outbox"), ends(message, "inbox")];
    assert.ok(
      to.every((service) => !from.includes(service)),
      `${message}: ${from.join()} → ${to.join()}`,
    );
  }
});

test("the launcher starts the services and imports none of them", () => {
  const files = globSync("deploy/**/*.{ts,mjs}", { cwd: repository, exclude: ["**/node_modules/**"] });
  assert.ok(files.length > 10);
  const importing = files.filter((file) =>
    /from "(@faceline\/|(\.\.\/)+)(ingress|batcher|inference)\b/.test(
      readFileSync(`${repository}/${file}`, "utf8"),
    ),
  );
  assert.deepEqual(importing, []);
});

const messages = (end: "inbox" | "outbox"): string[] => [
  ...new Set(boxes(end).map(({ message }) => message)),
];

const ends = (message: string, end: "inbox" | "outbox"): string[] =>
  boxes(end)
    .filter((box) => box.message === message)
    .map(({ service }) => service);

/** `batcher/src/task-inbox.ts` is the inbox of `task` in the batcher. */
function boxes(end: "inbox" | "outbox"): { service: string; message: string }[] {
  return globSync(`*/src/*-${end}.ts`, { cwd: repository })
    .map((path) => {
      const [service = "", , file = ""] = path.split("/");
      return { service, message: file.replace(`-${end}.ts`, "") };
    })
    .toSorted((one, other) => one.message.localeCompare(other.message));
}
