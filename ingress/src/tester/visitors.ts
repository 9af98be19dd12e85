import { isIP } from "node:net";
import { visitorsTenant } from "@faceline/contracts/wire/ids";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { ApiError } from "../call/api-error.ts";
import type { Caller } from "../call/caller.ts";
import type { Ports } from "../call/ports.ts";

// Covered by ../tester-routes.test.ts.

/**
 * Returns the function that identifies calls of the public tester. They need no key, and all of them belong
 * to one tenant. Throws `invalid_request` if the call does not come from a page of this service, so that
 * nobody builds on these routes, and other pages cannot use up the limits of their visitors.
 */
export function identifyVisitors(
  ports: Pick<Ports, "acquireVisitorSlot">,
  settings: { PUBLIC_URL: string; TESTER_BODY_BYTES_PER_SECOND: number },
) {
  const publicOrigin = URL.parse(settings.PUBLIC_URL)?.origin;
  return async (request: FastifyRequest): Promise<Caller> => {
    rejectForeignPage(request, publicOrigin);
    if (!/^application\/json\b/i.test(request.headers["content-type"]!)) {
      throw new ApiError("unsupported_media_type", "The tester takes application/json alone.");
    }
    const address = visitorAddress(request);
    return {
      tenant: visitorsTenant,
      serviceClass: "best_effort",
      bodyBytesPerSecond: settings.TESTER_BODY_BYTES_PER_SECOND,
      // Else the bodies of somebody who floods would be read before those of other visitors.
      pacedWhenRefused: false,
      acquireSlot: () => ports.acquireVisitorSlot(address),
    };
  };
}

/** Returns what a visitor counts as: the address of the client, or of the proxy that does not name it. */
export const visitorAddress = (request: FastifyRequest): string =>
  addressGroup(request.ip) ?? addressGroup(request.socket.remoteAddress) ?? "unknown";

/** Returns the network of that address, as far as one provider or company has it: a /24, or a /48 of IPv6. */
export const visitorNetwork = (request: FastifyRequest): string =>
  networkOf(request.ip) ?? networkOf(request.socket.remoteAddress) ?? "unknown";

/**
 * Browsers say by Sec-Fetch-Site where a call comes from; over plain HTTP only by Origin. Neither is sent by
 * a program that has not set out to look like a browser.
 */
function rejectForeignPage(request: FastifyRequest, publicOrigin: string | undefined): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  const publicPath = (request.routeOptions.url ?? "").replace(/^\/tester/, "");
  if (site === undefined && origin === undefined) {
    const detail = `Only the tester page may call this path. Programs call ${publicPath} with an API key.`;
    throw new ApiError("invalid_request", detail, { field: "origin" });
  }
  if (site === "same-origin") return;
  if (site === undefined && origin !== undefined) {
    // `null` is what pages without an origin send.
    const isOurs = origin === publicOrigin || URL.parse(origin)?.host === request.host;
    if (isOurs && origin !== "null") return;
  }
  const detail = `Pages of other origins may not call this path. They call ${publicPath} with an API key.`;
  throw new ApiError("invalid_request", detail, { field: site === undefined ? "origin" : "sec-fetch-site" });
}

/**
 * Returns what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address, which is what
 * one customer of a provider gets. Undefined: not an address.
 */
export function addressGroup(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  // An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) becomes IPv4.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}

/** `192.0.2.0/24` or `2001:db8:1::/48`. Undefined: not an address. */
export function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join(".")}.0/24`;
  const parts = parsed.parts.slice(0, 3).map((part) => part.toString(16));
  return `${parts.join(":")}::/48`;
}
