import assert from "node:assert/strict";
import { test } from "node:test";
import { welcomeMessage } from "./welcome.ts";

test("the printed command can be pasted, also where a folder has a space in its name", () => {
  const text = welcomeMessage({
    addresses: ["http://127.0.0.1:8080"],
    key: "fl_dev_x",
    keyFile: "/home/a b/.faceline/dev-key",
    body: "/home/a b/.faceline/samples/verify.json",
    logs: "/home/a b/.faceline/logs",
    pages: true,
    accounts: true,
    tookMs: 4_210,
  });
  assert.ok(text.includes('-H "x-api-key: fl_dev_x"'));
  assert.ok(text.includes('-d "@/home/a b/.faceline/samples/verify.json"'));
});

test("the pages of documents, of people and of --observe are printed where there are such", () => {
  const parts = {
    addresses: ["http://127.0.0.1:8080"],
    key: "k",
    keyFile: "k",
    body: "b",
    logs: "l",
    pages: false,
    accounts: false,
    tookMs: 1,
  };
  const observeAddress = "http://127.0.0.1:8079/";
  assert.match(welcomeMessage({ ...parts, observeAddress }), /^ {2}observe {2}http:\/\/127\.0\.0\.1:8079\//m);
  assert.doesNotMatch(welcomeMessage(parts), /observe|browser|people/);
  assert.match(welcomeMessage({ ...parts, accounts: true }), /^ {2}people {3}npm run keys -- operator /m);
  assert.match(welcomeMessage({ ...parts, pages: true }), /^ {2}browser {2}http:\/\/127\.0\.0\.1:8080\/ /m);
});
