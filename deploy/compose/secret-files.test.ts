import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { secretFiles } from "./secret-files.ts";

/** Files of compose.production.yaml that the operator brings. */
const certificates = ["kafka.pem", "server.pem", "server.key", "ca.pem"];

for (const [file, production] of [
  ["compose.yaml", false],
  ["compose.production.yaml", true],
] as const) {
  test(`every secret that ${file} mounts is made, but for certificates`, () => {
    const compose = readFileSync(join(import.meta.dirname, file), "utf8");
    const mounted = [...compose.matchAll(/secrets\}\/([\w.-]+)" \}/g)].map(([, name]) => name!);
    const made = [...Object.keys(secretFiles(() => undefined, { production })), ...certificates];
    assert.ok(mounted.length > 5, "they were found");
    assert.deepEqual(
      mounted.filter((name) => !made.includes(name)),
      [],
    );
  });
}

test("in production every link is encrypted, and the durable Redis alone has a replica", () => {
  const files = secretFiles(() => undefined, { production: true });
  for (const name of ["kafka", "kafka-2", "kafka-3"]) {
    assert.match(
      files[`${name}.properties`]!,
      /^listener.security.protocol.map=CLIENTS:SASL_SSL,CONTROLLER:SASL_SSL$/m,
    );
  }
  const servers = Object.keys(files).filter((name) => name.endsWith(".conf"));
  for (const name of servers) assert.match(files[name]!, /^port 0$/m, name);
  assert.deepEqual(
    servers.filter((name) => files[name]!.includes("replicaof")),
    ["redis-durable-replica.conf"],
  );
});

test("a second call keeps passwords, and changes the one whose file was removed, in the server's file too", () => {
  const first = secretFiles(() => undefined);
  const removed = "redis-volatile-ingress";
  const second = secretFiles((name) => (name === removed ? undefined : first[name]?.trim()));
  // The broker's own password is in no other file, and new each time.
  const derived = new Set([removed, "redis-volatile.conf", "kafka.properties"]);
  for (const [name, text] of Object.entries(first)) {
    if (derived.has(name)) assert.notEqual(second[name], text, name);
    else assert.equal(second[name], text, name);
  }
  const sha256 = createHash("sha256").update(second[removed]!.trim()).digest("hex");
  assert.match(second["redis-volatile.conf"]!, new RegExp(`^user ingress on #${sha256} `, "m"));
});

test("the volatile Redis stores nothing, the durable one every write, and neither has a password in clear", () => {
  const files = secretFiles(() => undefined);
  assert.match(files["redis-volatile.conf"]!, /^appendonly no$[^]*^maxmemory-policy noeviction$/m);
  assert.match(files["redis-durable.conf"]!, /^appendonly yes\nappendfsync always$/m);
  // Redis 7 replays the durable server's writes as this user, and drops those that it has no right to.
  assert.match(files["redis-durable.conf"]!, /^user default off resetpass ~\* &\* \+@all$/m);
  assert.match(files["redis-volatile.conf"]!, /^user default off$/m);
  for (const server of ["redis-volatile", "redis-durable"]) {
    assert.ok(!files[`${server}.conf`]!.includes(files[`${server}-ingress`]!.trim()));
  }
});
