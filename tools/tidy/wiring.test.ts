// Covers the names of all outboxes and inboxes, and the imports between packages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findFiles, importsOf, packages, sourceFiles } from "./source.ts";

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

test("packages import those before them in this order, tools import all, and no two services each other", () => {
  const order = "images contracts clients runtime models accounts batcher inference web ingress".split(" ");
  const services = ["batcher", "inference", "ingress"];
  const back: string[] = [];
  for (const file of sourceFiles()) {
    const from = packageOf(file);
    for (const { target } of importsOf(file)) {
      const to = packageOf(target);
      if (from === to || from.startsWith("tools/")) continue;
      const isForward = from === "deploy" ? !services.includes(to) : order.indexOf(to) < order.indexOf(from);
      const isOfService = services.includes(from) && services.includes(to);
      if (!isForward || isOfService || to.startsWith("tools/")) back.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(back, []);
});

const packageOf = (file: string): string => packages.find((folder) => file.startsWith(`${folder}/`)) ?? "";

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
