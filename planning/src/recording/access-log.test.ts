import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { parseAccessLine } from "./access-log.ts";

const given = { lane: LaneId.parse("Dlib/ssd"), deadlineMs: 30_000, bytes: 40_000, pixels: 300_000 };
const parse = (line: string) => parseAccessLine(line, given, () => 0.25);

test("a line of nginx is a call with its instant, its outcome and as many pictures as its path needs", () => {
  const line = '10.0.0.1 - - [23/Nov/2026:13:55:36 +0100] "POST /verify HTTP/1.1" 200 512 "-" "curl/8.5"';
  const { tenant, ...call } = parse(line)!;
  assert.ok(tenant >= 0);
  assert.deepEqual(call, {
    at: Date.parse("2026-11-23T12:55:36.250Z"),
    lane: given.lane,
    deadlineMs: 30_000,
    pictures: [
      [40_000, 300_000],
      [40_000, 300_000],
    ],
    outcome: "answered",
  });
});

test("tenants are users where there are some, and addresses else", () => {
  const of = (host: string, user: string) =>
    parse(`${host} - ${user} [23/Nov/2026:13:55:36 +0000] "POST /represent HTTP/2.0" 200 5`)!.tenant;
  assert.equal(of("10.0.0.1", "ada"), of("10.0.0.2", "ada"));
  assert.notEqual(of("10.0.0.1", "-"), of("10.0.0.2", "-"));
});

for (const [status, outcome] of [
  [503, "shed"],
  [504, "late"],
  [502, "failed"],
  [499, "left"],
  [429, undefined],
  [401, undefined],
] as const) {
  test(`a status of ${status} is ${outcome ?? "no call that reached a queue"}`, () => {
    const line = `10.0.0.1 - - [23/Nov/2026:13:55:36 +0000] "POST /represent?all_faces=true HTTP/1.1" ${status} 5`;
    assert.equal(parse(line)?.outcome, outcome);
  });
}

for (const line of [
  "",
  '10.0.0.1 - - [23/Nov/2026:13:55:36 +0000] "GET /verify HTTP/1.1" 200 5',
  '10.0.0.1 - - [23/Nov/2026:13:55:36 +0000] "POST /other HTTP/1.1" 200 5',
  '10.0.0.1 - - [yesterday] "POST /verify HTTP/1.1" 200 5',
]) {
  test(`"${line.slice(12)}" is no call`, () => assert.equal(parse(line), undefined));
}
