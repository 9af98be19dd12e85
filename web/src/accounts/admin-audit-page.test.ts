// Covers ./admin-audit-page.ts and ./audit-change.ts.
import assert from "node:assert/strict";
import test from "node:test";
import type { AuditEntry } from "@faceline/accounts/audit/audit-log";
import { auditPage } from "./admin-audit-page.ts";

const keys = [
  { id: "id-1", name: "<laptop>", prefix: "fl_Ab3dEf9hi" },
  { id: "id-2", name: "laptop", prefix: "fl_Zz9xYw8vu" },
];

test("a key is named by its name and first characters, with its team and its new key", () => {
  assert.deepEqual(
    rows([
      { action: "key_created", on: "id-1", details: { team: "ants" } },
      { action: "key_rotated", on: "id-1", details: { team: "ants", newKey: "id-2" } },
    ]),
    [
      ["key created", "“&#60;laptop&#62;” fl_Ab3dEf9hi… of ants", ""],
      ["key rotated", "“&#60;laptop&#62;” fl_Ab3dEf9hi… of ants", "new key “laptop” fl_Zz9xYw8vu…"],
    ],
  );
});

test("limits show what they were and what they are; those that stayed are left out", () => {
  const before = { requestsPerSecond: 50, inFlightMax: 8 };
  assert.deepEqual(
    rows([
      {
        action: "limits_set",
        on: "ants",
        details: {
          limits: { before, after: { requestsPerSecond: 5_000, bodyBytesPerSecond: 0, inFlightMax: 8 } },
        },
      },
      { action: "limits_set", on: "ants", details: { limits: { before, after: { inFlightMax: 8 } } } },
      { action: "limits_set", on: "ants", details: { limits: { before, after: before } } },
      {
        action: "waitlist_approved",
        on: "ada@example.test",
        details: { team: "ants", limits: { before: {}, after: { requestsPerSecond: 5 } } },
      },
    ]),
    [
      ["limits set", "ants", "Requests per second: 50 → 5,000 Upload bytes per second: default → unlimited"],
      ["limits set", "ants", "Requests per second: 50 → default"],
      ["limits set", "ants", "no limit changed"],
      ["approved", "ada@example.test", "team ants Requests per second: default → 5"],
    ],
  );
});

test("entries that say less are shown with what they say", () => {
  assert.deepEqual(
    rows([
      { action: "key_rotated", on: "5b1b2f60-3f0e-4a43-9d54-5a8c1d1f4f10" },
      { action: "limits_set", on: "ants" },
      { action: "waitlist_approved", on: "ada@example.test" },
    ]),
    [
      ["key rotated", "5b1b2f60-3f0e-4a43-9d54-5a8c1d1f4f10", ""],
      ["limits set", "ants", ""],
      ["approved", "ada@example.test", ""],
    ],
  );
});

/** Returns the rows of a page: the action, its object, and the lines of what changed. */
function rows(entries: Partial<AuditEntry>[]): string[][] {
  const common = { id: "1-1", at: 1, by: "olga@example.test", requestId: null, details: {} };
  const full = entries.map((entry) => ({ ...common, ...entry }) as AuditEntry);
  const { content } = auditPage({ entries: full, keys });
  const [, body = ""] = /<tbody[^>]*>([^]*)<\/tbody>/.exec(content) ?? [];
  return [...body.matchAll(/<tr[^>]*>([^]*?)<\/tr>/g)].map(([, row = ""]) => {
    const [action = "", object = ""] = [...row.matchAll(/<t[hd][^>]*>(?:<div>)?([^]*?)<\/t[hd]>/g)]
      .slice(2, 4)
      .map(([, cell]) => cell!);
    const [subject, ...lines] = object.split("<div>");
    return [action, subject, lines.join(" ")].map((text = "") =>
      text
        .replaceAll(/<[^>]*>/g, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
  });
}
