import assert from "node:assert/strict";
import test from "node:test";
import { unlimited } from "@faceline/contracts/stored/team";
import { parseKeysCall, usage } from "./keys-call.ts";

const read = (line: string) => parseKeysCall(line.split(" ").filter((word) => word !== ""));

test("create, list, revoke and limits are parsed", () => {
  assert.deepEqual(read("create --team ants"), {
    verb: "create",
    team: "ants",
    name: "ants key",
    limits: undefined,
  });
  assert.deepEqual(read("create --team ants --name laptop --no-limits"), {
    verb: "create",
    team: "ants",
    name: "laptop",
    limits: unlimited,
  });
  assert.deepEqual(read("list"), { verb: "list" });
  assert.deepEqual(read("revoke --id 5b1b2f60"), { verb: "revoke", prefix: "5b1b2f60" });
  assert.deepEqual(
    read("limits --team ants --per-second 5 --burst 10 --in-flight 0 --bytes-per-second 1048576"),
    {
      verb: "limits",
      team: "ants",
      limits: { requestsPerSecond: 5, requestsBurst: 10, inFlightMax: 0, bodyBytesPerSecond: 1_048_576 },
    },
  );
  assert.deepEqual(read("usage"), { verb: "usage", days: 30 });
  assert.deepEqual(read("usage --team ants --days 7"), { verb: "usage", days: 7, team: "ants" });
  assert.deepEqual(read("usage --team ~visitors"), { verb: "usage", days: 30, team: "~visitors" });
  assert.deepEqual(read("list --help"), { verb: "help" });
});

test("verbs about people take a mail address, which is stored in lower case", () => {
  const email = "ada@example.test";
  assert.deepEqual(read("waitlist"), { verb: "waitlist" });
  assert.deepEqual(read("approve --email Ada@Example.test --team ants --per-second 5"), {
    verb: "approve",
    email,
    team: "ants",
    limits: { requestsPerSecond: 5 },
  });
  assert.deepEqual(read(`operator --email ${email}`), { verb: "operator", email, team: undefined });
  assert.deepEqual(read(`decline --email ${email}`), { verb: "decline", email });
  assert.deepEqual(read("decline --domain @Flood.test"), {
    verb: "decline",
    which: { domain: "flood.test" },
  });
  const network = "192.0.2.0/24";
  assert.deepEqual(read(`decline --network ${network}`), { verb: "decline", which: { network } });
  assert.deepEqual(read("decline --all"), { verb: "decline", which: "all" });
  assert.deepEqual(read(`member --email ${email}`), { verb: "member", email });
  assert.deepEqual(read(`sign-in-link --email ${email}`), { verb: "sign-in-link", email });
  assert.deepEqual(read(`forget --email ${email}`), { verb: "forget", email });
});

test("the help names what a sign-in link is made of", () => {
  assert.match(usage, /PUBLIC_URL[^]*PORT/);
});

test("a wrong call returns a sentence", () => {
  for (const [line, pattern] of [
    ["", /^usage/],
    ["make", /Unknown command make/],
    ["create", /--team/],
    ["create --team ../etc", /--team/],
    ["usage --team ~all", /--team/],
    ["usage --days 401", /from 1 to 400/],
    ["usage --days some", /from 1 to 400/],
    ["list --days 3", /does not take --days/],
    ["create --team ants --id 5", /does not take --id/],
    ["create --team ants --per-second -1", /--per-second/],
    ["create --team ants --burst 1e3", /whole numbers/],
    ["create --team ants --no-limits --burst 1", /not both/],
    ["limits --team ants", /at least one limit/],
    ["revoke --prefix fl_", /at least 4/],
    ["revoke --id 5b1b2f60 --prefix fl_abc", /not both/],
    ["approve --email ada@example.test", /--team/],
    ["approve --team ants", /--email/],
    ["forget --email ada", /a single email address/],
    ["operator --email a@example.test,b@example.test", /a single email address/],
    ["decline", /one of --email, --domain/],
    ["decline --all --domain a.test", /one of --email, --domain/],
    ["list --all", /does not take --all/],
    ["waitlist --team ants", /does not take --team/],
    ["list ants", /only options/],
    ["forget ada@example.test", /: forget --email ada@example\.test$/],
    ["sign-in-link ada@example.test", /: sign-in-link --email ada@example\.test$/],
    ["list --colour", /--colour/],
  ] as const) {
    const answer = read(line);
    assert.ok(typeof answer === "string" && pattern.test(answer), `${line}: ${JSON.stringify(answer)}`);
  }
});
