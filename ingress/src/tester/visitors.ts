import { visitorsTenant } from "@faceline/contracts/wire/ids";
import type { FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { Caller } from "../call/caller.ts";
import type { Ports } from "../call/ports.ts";
import { addressGroup, networkOf } from "../connections/address-group.ts";
import { visitorBodyBytesPerSecond } from "./tester-settings.ts";

/**
 * Returns the function that identifies calls of the public tester. They need no key, and all of them belong
 * to one tenant. Throws `invalid_request` if the call does not come from a page of this service, so that
 * nobody builds on these routes, and other pages cannot use up the limits of their visitors.
 */
export function identifyVisitors(
  ports: Pick<Ports, "acquireVisitorSlot">,
  settings: { PUBLIC_URL: string },
  bodyBytesPerSecond = visitorBodyBytesPerSecond,
) {
  const publicOrigin = URL.parse(settings.PUBLIC_URL)?.origin;
  return async (request: FastifyRequest): Promise<Caller> => {
    rejectForeignPage(request, publicOrigin);
    if (!/^application\/json\b/i.test(request.headers["content-type"]!)) {
      throw new ApiError("unsupported_media_type", "The tester accepts only application/json.");
    }
    const address = visitorAddress(request);
    return {
      tenant: visitorsTenant,
      bodyBytesPerSecond,
      // Otherwise, bodies of somebody who floods would be read before those of other visitors.
      pacedWhenRefused: false,
      acquireSlot: () => ports.acquireVisitorSlot(address),
    };
  };
}

/** Returns what counts as one visitor: the address of the client, or of the proxy that does not name it. */
export const visitorAddress = (request: FastifyRequest): string =>
  addressGroup(request.ip) ?? addressGroup(request.socket.remoteAddress) ?? "unknown";

/** Returns the network of that address, roughly that of one provider or company: a /24, or a /48 of IPv6. */
export const visitorNetwork = (request: FastifyRequest): string => networkOf(visitorAddress(request));

/**
 * Browsers say by Sec-Fetch-Site where a request comes from; over plain HTTP, only by Origin. A program sends
 * neither unless it was written to look like a browser.
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
