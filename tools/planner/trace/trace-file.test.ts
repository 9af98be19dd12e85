import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readTrace } from "./trace-file.ts";

const folder = mkdtempSync(join(tmpdir(), "trace-"));
after(() => rmSync(folder, { recursive: true }));

const header = '{"format":"faceline-trace","version":1,"lanes":["Dlib/ssd","Dlib/blazeface"]}';

test("a trace has its calls in order, with the lane, the deadline and the cost of each image", async () => {
  const trace = await read(
    header,
    "[0,7,0,2000,[[100000,2000000],[2097152,12000000]]]",
    "[40.5,3,1,500,[[9000,90000]]]",
  );
  const arrivals = trace.arrivals(0, trace.calls);
  assert.deepEqual(arrivals.at(0), {
    atMs: 0,
    tenant: "tenant-7",
    tasks: 2,
    costs: [1, 10],
    lane: "Dlib/ssd",
    timeBudgetMs: 2_000,
  });
  assert.deepEqual(arrivals.at(1), {
    atMs: 40.5,
    tenant: "tenant-3",
    tasks: 1,
    costs: [1],
    lane: "Dlib/blazeface",
    timeBudgetMs: 500,
  });
  assert.equal(arrivals.at(2), undefined);
});

for (const [name, lines, message] of [
  ["without a header", ["[0,1,0,2000,[[1,1]]]"], /line 1 of .* is not the header of a Faceline trace/],
  ["of another version", ['{"format":"faceline-trace","version":2,"lanes":["a/b"]}'], /line 1 .* version 1/],
  ["with a line that is not JSON", [header, "[0,1"], /line 2 of .* is not JSON/],
  ["with a call without images", [header, "[0,1,0,2000,[]]"], /line 2 of .* is not a request/],
  ["with an unknown lane", [header, "[0,1,2,2000,[[1,1]]]"], /line 2 of .* names lane 2 of 2/],
  [
    "with calls in the wrong order",
    [header, "[5,1,0,2000,[[1,1]]]", "[4,1,0,2000,[[1,1]]]"],
    /line 3 of .* is earlier than the previous line/,
  ],
  ["without calls", [header], /has no requests/],
] as const) {
  test(`a file ${name} is refused`, async () => {
    await assert.rejects(read(...lines), { message });
  });
}

function read(...lines: string[]) {
  const file = join(folder, "calls.jsonl");
  writeFileSync(file, lines.join("\n"));
  return readTrace(file);
}
