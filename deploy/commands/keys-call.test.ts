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
  assert.deepEqual(read("list --help"), { verb: "help" });
});

test("verbs about people are parsed, and an email is stored in lower case", () => {
  const email = "ada@example.test";
  assert.deepEqual(read("operator --email Ada@Example.test"), { verb: "operator", email, team: undefined });
  assert.deepEqual(read("decline --domain @Flood.test"), {
    verb: "decline",
    which: { domain: "flood.test" },
  });
  const network = "192.0.2.0/24";
  assert.deepEqual(read(`decline --network ${network}`), { verb: "decline", which: { network } });
  assert.deepEqual(read("decline --all"), { verb: "decline", which: "all" });
  assert.deepEqual(read(`member --email ${email}`), { verb: "member", email });
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
    ["create --team ants --id 5", /does not take --id/],
    ["create --team ants --per-second -1", /--per-second/],
    ["create --team ants --burst 1e3", /whole numbers/],
    ["create --team ants --no-limits --burst 1", /not both/],
    ["limits --team ants", /at least one limit/],
    ["revoke --prefix fl_", /at least 4/],
    ["revoke --id 5b1b2f60 --prefix fl_abc", /not both/],
    ["operator --team ants", /--email/],
    ["forget --email ada", /a single email address/],
    ["operator --email a@example.test,b@example.test", /a single email address/],
    ["decline", /one of --domain, --network/],
    ["decline --all --domain a.test", /one of --domain, --network/],
    ["decline --email ada@example.test", /does not take --email/],
    ["list --all", /does not take --all/],
    ["list ants", /only options/],
    ["forget ada@example.test", /: forget --email ada@example\.test$/],
    ["list --colour", /--colour/],
  ] as const) {
    const answer = read(line);
    assert.ok(typeof answer === "string" && pattern.test(answer), `${line}: ${JSON.stringify(answer)}`);
  }
});
