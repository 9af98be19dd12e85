import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parse } from "yaml";
import { certificates, filesByService, secretFiles } from "./secret-files.ts";

for (const production of [false, true]) {
  test(`each service of the compose may read the secrets that it names, and no others, production: ${production}`, () => {
    const files = secretFiles(() => undefined, { production });
    const allowed = filesByService({ production });
    const composes = ["compose.yaml", ...(production ? ["compose.production.yaml"] : [])].map(servicesOf);
    const names = new Set(composes.flatMap((services) => Object.keys(services)));
    for (const service of names) {
      // The settings of a server name more files.
      const settings = (allowed[service] ?? []).map((name) => files[name.split("=").at(-1)!] ?? "");
      if (service === "prometheus") settings.push(read("observe/prometheus.yaml"));
      const parts = composes.map((services) => services[service] ?? {});
      const text = JSON.stringify(parts) + settings.join();
      const named = new Set([...text.matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, name]) => name!));
      const given = (allowed[service] ?? []).map((name) => name.split("=")[0]!);
      assert.deepEqual([...named].toSorted(), given.toSorted(), service);
      const mounts = parts.flatMap(({ volumes = [] }) =>
        volumes.filter((mount) => mount.includes(":/run/secrets")),
      );
      const folder = `\${SECRETS_FOLDER:-./secrets}/services/${service}:/run/secrets:ro`;
      assert.deepEqual(mounts, given.length === 0 ? [] : [folder]);
      for (const name of allowed[service] ?? []) {
        const source = name.split("=").at(-1)!;
        assert.ok(source in files || certificates.includes(source), `${source} is made`);
      }
    }
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

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
const servicesOf = (file: string) =>
  (parse(read(file), { merge: true }) as { services: Record<string, { volumes?: string[] }> }).services;
