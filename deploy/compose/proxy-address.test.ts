// Covers compose.proxy.yaml and haproxy.cfg: which address the ingresses believe, and what it tells them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import test from "node:test";
import { parse } from "yaml";

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

test("the ingresses behind the proxy of the compose trust its address, and that of nobody else", () => {
  const text = read("compose.proxy.yaml")
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1")
    .replaceAll("!reset", "");
  const { services, networks } = parse(text) as Compose;
  const address = services.proxy.networks.clients.ipv4_address;
  // The ingress leaves out what is empty: here the operator's own proxies.
  assert.equal(services.ingress.environment["TRUSTED_PROXIES"], `${address},`);
  const [network] = networks.clients.ipam.config;
  assert.equal(isIn(network!.subnet, address), true);
  assert.equal(isIn(network!.ip_range, address), false, "no other container may get it");
  assert.match(read("haproxy.cfg"), /^ {4}option forwardfor$/m);
});

function isIn(range: string, address: string): boolean {
  const [network, bits] = range.split("/");
  const list = new BlockList();
  list.addSubnet(network!, Number(bits));
  return list.check(address);
}

type Compose = {
  services: {
    proxy: { networks: { clients: { ipv4_address: string } } };
    ingress: { environment: Record<string, string> };
  };
  networks: { clients: { ipam: { config: { subnet: string; ip_range: string }[] } } };
};
