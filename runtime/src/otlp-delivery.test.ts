import assert from "node:assert/strict";
import test from "node:test";
import type { ExportResult } from "@opentelemetry/core";
import { OtlpDelivery } from "./otlp-delivery.ts";

test("a receiver that is away costs one warning, and one line when it is back", () => {
  const { delivery, lines, clock, results } = openDelivery();
  results.push(undefined, "refused", "refused", "hangs", undefined, undefined, "refused");
  const codes: number[] = [];
  for (let i = 0; i < 7; i++) {
    clock.at += 3_000;
    delivery.export(admitted(delivery, 2), ({ code }) => codes.push(code));
  }
  assert.deepEqual(codes, [0, 1, 1, 1, 0, 0, 1]);
  assert.deepEqual(lines, [
    ["spans are not delivered", { reason: "refused" }],
    ["spans are delivered again", { lost: 6 }],
    ["spans are not delivered", { reason: "refused" }],
  ]);
  assert.equal(delivery.lost, 8);
});

test("while a receiver hangs, no more than the bound waits, for 30 s, and the rest is counted as lost", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { delivery, lines, results } = openDelivery({ waitingMax: 10 });
  results.push("never");
  delivery.export(admitted(delivery, 4), () => {});
  assert.equal(admitted(delivery, 15).length, 6);
  assert.equal(delivery.lost, 9);
  assert.deepEqual(lines, [["spans are not delivered", { reason: "10 spans wait already" }]]);
  t.mock.timers.tick(30_000);
  assert.deepEqual([delivery.lost, admitted(delivery, 5).length], [13, 4]);
});

test("a receiver that never responds loses its spans after 30 s, and makes room for the next", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { delivery, results } = openDelivery({ waitingMax: 4 });
  results.push("never");
  const codes: number[] = [];
  delivery.export(admitted(delivery, 4), ({ code }) => codes.push(code));
  t.mock.timers.tick(30_000);
  assert.deepEqual([codes, delivery.lost, admitted(delivery, 4).length], [[1], 4, 4]);
});

test("a receiver that is too slow for all spans costs one warning, not one for each gap", () => {
  const { delivery, lines, clock } = openDelivery({ waitingMax: 4 });
  for (let i = 0; i < 100; i++) {
    clock.at += 10;
    delivery.export(admitted(delivery, 6), () => {});
  }
  assert.deepEqual(lines, [["spans are not delivered", { reason: "4 spans wait already" }]]);
  clock.at += 2_000;
  delivery.export(admitted(delivery, 1), () => {});
  assert.deepEqual(lines.slice(1), [["spans are delivered again", { lost: 200 }]]);
});

const admitted = (delivery: OtlpDelivery<object>, count: number): object[] =>
  Array.from({ length: count }, () => ({})).filter(() => delivery.admit());

function openDelivery({ waitingMax = 100 }: { waitingMax?: number } = {}) {
  const lines: unknown[] = [];
  const clock = { at: 0 };
  const log = {
    warn: (fields: object, text: string) => void lines.push([text, fields]),
    info: (fields: object, text: string) => void lines.push([text, fields]),
  };
  /** Reasons of failures; undefined delivers, `never` does not return. */
  const results: (string | undefined)[] = [];
  const exporter = {
    export(_spans: object[], done: (result: ExportResult) => void) {
      const reason = results.shift();
      if (reason === "never") return;
      done(reason === undefined ? { code: 0 } : { code: 1, error: new Error(reason) });
    },
    shutdown: async () => {},
  };
  const options = { items: "spans" as const, waitingMax, log: log as never, now: () => clock.at };
  return { delivery: new OtlpDelivery(exporter, options), lines, clock, results };
}
