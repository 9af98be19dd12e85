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
    operatorsPorts: {},
    tookMs: 4_210,
  });
  assert.ok(text.includes('-H "x-api-key: fl_dev_x"'));
  // Otherwise `http_proxy` of that shell would be asked.
  assert.ok(text.includes('curl -s --noproxy "*" http://127.0.0.1:8080/verify'));
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
    operatorsPorts: {},
    tookMs: 1,
  };
  const viewers = ["http://127.0.0.1:9411/zipkin/", "http://127.0.0.1:9090/graph"];
  assert.ok(welcomeMessage({ ...parts, viewers }).includes(`\n  observe  ${viewers.join("  ")}  (`));
  assert.doesNotMatch(welcomeMessage(parts), /observe|browser|accounts|ports/);
  const operatorsPorts = { "ingress-1": 9464, "batcher-1": 9480, "batcher-2": 9481, "inference-1": 9484 };
  assert.match(
    welcomeMessage({ ...parts, operatorsPorts }),
    /^ {2}ports {4}ingress 9464, batcher 9480 9481, inference 9484 {2}\(for operators/m,
  );
  assert.match(welcomeMessage({ ...parts, accounts: true }), /^ {2}accounts npm run keys -- operator /m);
  const inImage = welcomeMessage({ ...parts, accounts: true, body: undefined });
  assert.match(inImage, /^ {2}accounts docker exec CONTAINER node deploy\/commands\/keys\.ts operator /m);
  assert.doesNotMatch(inImage, /curl/);
  assert.match(welcomeMessage({ ...parts, pages: true }), /^ {2}browser {2}http:\/\/127\.0\.0\.1:8080\/ /m);
});
