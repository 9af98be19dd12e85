import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address, which is what
 * one customer of a provider gets. Undefined: not an address.
 */
export const addressGroup = (address: string | undefined): string | undefined =>
  groupOf(address, { ipv4Bits: 32, ipv6Bits: 64 });

/**
 * Returns the network of an address, or of what `addressGroup` made of one: the first 24 bits of IPv4, 48 of
 * IPv6. Whoever has several addresses mostly has them in one of these.
 */
export const networkOf = (address: string): string =>
  groupOf(address.replace(/\/\d+$/, ""), { ipv4Bits: 24, ipv6Bits: 48 }) ?? address;

function groupOf(
  address: string | undefined,
  { ipv4Bits, ipv6Bits }: { ipv4Bits: number; ipv6Bits: number },
): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  // An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) becomes IPv4.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    if (ipv4Bits === 32) return parsed.toString();
    return `${parsed.octets.slice(0, ipv4Bits / 8).join(".")}.0/${ipv4Bits}`;
  }
  const network = parsed.parts.slice(0, ipv6Bits / 16).map((part) => part.toString(16));
  return `${network.join(":")}::/${ipv6Bits}`;
}

/** Returns whether an address is in one of these addresses or CIDR ranges. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split("/") as [string, string?];
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
