import assert from "node:assert/strict";
import test from "node:test";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { reportFailures } from "./export-report.ts";

test("a receiver that is away costs one warning, and one line when it is back", () => {
  const lines: unknown[] = [];
  const log = {
    warn: (facts: object, text: string) => void lines.push([text, facts]),
    info: (facts: object, text: string) => void lines.push([text, facts]),
  };
  const results = [undefined, "refused", "refused", "hangs", undefined, undefined, "refused"].values();
  const exporter = {
    export(_spans, done) {
      const reason = results.next().value;
      done(reason === undefined ? { code: 0 } : { code: 1, error: new Error(reason) });
    },
    shutdown: async () => {},
  } satisfies SpanExporter;
  const reporting = reportFailures(exporter, log as Parameters<typeof reportFailures>[1]);
  const codes: number[] = [];
  for (let i = 0; i < 7; i++) reporting.export([{}, {}] as never[], ({ code }) => codes.push(code));
  assert.deepEqual(codes, [0, 1, 1, 1, 0, 0, 1]);
  assert.deepEqual(lines, [
    ["spans are not delivered", { reason: "refused" }],
    ["spans are delivered again", { lostSpans: 6 }],
    ["spans are not delivered", { reason: "refused" }],
  ]);
});
