import assert from "node:assert/strict";
import test from "node:test";
import { LaneId } from "@faceline/contracts/wire/ids";
import { isServiceLogLine, parseAccessLine } from "./access-log.ts";

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

// The same three calls were sent to each proxy with its default settings, HAProxy with `option httplog clf`.
for (const [proxy, lines] of Object.entries({
  "nginx 1.22": [
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "POST /verify HTTP/1.1" 200 12 "-" "curl/7.88.1"',
    '127.0.0.1 - ada [23/Nov/2026:10:20:53 +0000] "POST /represent?all_faces=true HTTP/1.1" 200 12 "-" "curl/7.88.1"',
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "POST /compare HTTP/1.1" 503 12 "-" "curl/7.88.1"',
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "GET /health HTTP/1.1" 200 12 "-" "curl/7.88.1"',
  ],
  "HAProxy 2.6": [
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "POST /verify HTTP/1.1" 200 103 "" "" 46800 268 "api" "b" "s" 0 0 0 5 5 ---- 1 1 0 0 0 0 0 "" "" ',
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "POST /represent?all_faces=true HTTP/1.1" 200 103 "" "" 46806 283 "api" "b" "s" 0 0 0 1 1 ---- 1 1 0 0 0 0 0 "" "" ',
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "POST /compare HTTP/1.1" 503 120 "" "" 46818 292 "api" "b" "s" 0 0 0 0 0 ---- 1 1 0 0 0 0 0 "" "" ',
    '127.0.0.1 - - [23/Nov/2026:10:20:53 +0000] "GET /health HTTP/1.1" 200 103 "" "" 46830 301 "api" "b" "s" 0 0 0 1 1 ---- 1 1 0 0 0 0 0 "" "" ',
  ],
})) {
  test(`lines of ${proxy} are calls, also behind a prefix of syslog or a container`, () => {
    for (const prefix of ["", "Nov 23 10:20:53 host proxy[17]: ", "2026-11-23T10:20:53.113Z "]) {
      const calls = lines.map((line) => parse(prefix + line));
      const found = calls.map((call) => call && [call.pictures.length, call.outcome, call.at]);
      const at = Date.parse("2026-11-23T10:20:53.250Z");
      assert.deepEqual(found, [[2, "answered", at], [1, "answered", at], [2, "shed", at], undefined]);
      assert.equal(calls[0]!.tenant, calls[2]!.tenant);
      assert.equal(calls[0]!.tenant, parse(lines[0]!)!.tenant);
    }
  });
}

test("lines of Faceline's services are recognised", () => {
  const ofService =
    '{"level":"debug","time":"2026-11-23T10:21:07.113Z","service":"faceline-ingress","msg":"answered"}';
  assert.deepEqual(
    [ofService, "{", '{"service":"faceline-ingress"}', '{"level":"info","service":"caddy"}', ""].map(
      isServiceLogLine,
    ),
    [true, false, false, false, false],
  );
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
