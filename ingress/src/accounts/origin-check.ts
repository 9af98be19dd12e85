import type { IncomingHttpHeaders } from "node:http";
import { PageRefusal } from "./page-refusal.ts";

/**
 * Throws a PageRefusal unless a form of this service's own pages sent the request: the defence against
 * forged requests (CSRF), in place of tokens. Browsers say by Sec-Fetch-Site where a request comes from; over
 * plain HTTP, and if they are old, only by Origin. A request with neither is refused, because forms of
 * browsers have one of them. `same-site` is refused too: other services of a domain are not this one.
 *
 * `publicOrigin` is the origin of PUBLIC_URL; without it the host that the request is sent to counts.
 */
export function rejectForeignForm(headers: IncomingHttpHeaders, own: OwnOrigin): void {
  const { "sec-fetch-site": site, origin } = headers;
  const isOwn = site === undefined ? isOwnOrigin(origin, own) : site === "same-origin";
  if (!isOwn) throw new PageRefusal("foreign_form");
}

function isOwnOrigin(origin: string | undefined, { publicOrigin, host }: OwnOrigin): boolean {
  // `null` is what pages without an origin send; it has no host.
  if (origin === undefined) return false;
  return publicOrigin === undefined ? URL.parse(origin)?.host === host : origin === publicOrigin;
}

type OwnOrigin = { publicOrigin: string | undefined; host: string };
