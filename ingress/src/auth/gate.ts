import { type LimitOverrides, type TeamLimits, unlimited } from "@faceline/contracts/stored/team";
import type { FastifyRequest } from "fastify";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { keyDigest } from "./credentials.ts";

/** Who may call: the team of the key and its limits, or a Refusal. It looks at headers alone: the body has not been read yet. */
export function openGate(ports: Ports, settings: HttpSettings): Gate {
  if (settings.AUTH === "off") {
    return async (request) => {
      refusePages(request, settings);
      return { tenant: settings.TENANT_WITHOUT_AUTH, limits: unlimited };
    };
  }
  return async (request) => {
    const found = await ports.findKey(keyDigest(request.headers));
    if (found === null) throw new Refusal("invalid_api_key", "The API key is not known.");
    if (found.key.disabled) throw new Refusal("key_disabled", "The API key is disabled.");
    return { tenant: found.key.team, limits: limitsOf(found.limits, settings) };
  };
}

const limitsOf = (own: LimitOverrides, settings: HttpSettings): TeamLimits => ({
  requestsPerSecond: own.requestsPerSecond ?? settings.TEAM_REQUESTS_PER_SECOND,
  requestsBurst: own.requestsBurst ?? settings.TEAM_REQUESTS_BURST,
  inFlightMax: own.inFlightMax ?? settings.TEAM_IN_FLIGHT_MAX,
});

/**
 * Without keys, being able to reach the service is the permission, and a visitor's browser may reach it. A page that is
 * not on the list is refused, and so is a body type that browsers send across origins without asking first.
 */
function refusePages({ headers }: FastifyRequest, { CORS_ORIGINS }: HttpSettings): void {
  if (headers.origin === undefined) return;
  if (!CORS_ORIGINS.includes(headers.origin)) {
    throw new Refusal("invalid_request", "Pages of this origin may not call.", { field: "origin" });
  }
  if (!/^application\/json\b/i.test(headers["content-type"] ?? "")) {
    throw new Refusal("unsupported_media_type", "Pages must send application/json.");
  }
}

export type Gate = (request: FastifyRequest) => Promise<Caller>;
export type Caller = { tenant: string; limits: TeamLimits };
