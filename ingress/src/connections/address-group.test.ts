import assert from "node:assert/strict";
import { test } from "node:test";
import { addressGroup, addressMatcher, networkOf } from "./address-group.ts";

test("one address is an IPv4 address, or the first 64 bits of IPv6", () => {
  assert.equal(addressGroup("2001:db8:1:2::1"), addressGroup("2001:db8:1:2:ffff::9"));
  assert.notEqual(addressGroup("2001:db8:1:3::1"), addressGroup("2001:db8:1:2::1"));
  assert.equal(addressGroup("::ffff:192.0.2.1"), "192.0.2.1");
  for (const none of [undefined, "", "unknown", "192.0.2.1:80", "192.0.2"])
    assert.equal(addressGroup(none), undefined);
});

test("one network is a /24 of IPv4, or a /48 of IPv6, also by the name of an address group", () => {
  assert.equal(networkOf("192.0.2.1"), "192.0.2.0/24");
  assert.equal(networkOf(addressGroup("::ffff:192.0.2.200")!), "192.0.2.0/24");
  assert.equal(networkOf(addressGroup("2001:db8:1:2::1")!), "2001:db8:1::/48");
  assert.equal(networkOf("2001:db8:1:ffff::1"), "2001:db8:1::/48");
  assert.equal(networkOf("unknown"), "unknown");
});

test("a proxy is known by its address or its range, also where IPv4 is written as IPv6", () => {
  const isProxy = addressMatcher(["10.0.0.1", "192.168.0.0/16", "fd00::/8"]);
  for (const proxy of ["10.0.0.1", "192.168.9.9", "::ffff:192.168.9.9", "fd12::1"])
    assert.equal(isProxy(proxy), true, proxy);
  for (const other of ["10.0.0.2", "192.169.0.1", "fe80::1"]) assert.equal(isProxy(other), false, other);
  assert.equal(addressMatcher([])("127.0.0.1"), false);
});
