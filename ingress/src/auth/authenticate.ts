import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type LimitOverrides, type TeamLimits, unlimited } from "@faceline/contracts/stored/team";
import type { FastifyRequest } from "fastify";
import { ApiError } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";
import { type CorsSettings, rejectUnlistedOrigin } from "./cors.ts";
import { missingKeyDetail, unknownKeyDetail } from "./key-fault.ts";

/**
 * Returns the function that authenticates a request by only its headers, before the body is read. It resolves
 * to the team of the API key and its limits, or throws an ApiError (401, 403, 503). With AUTH=off every
 * request belongs to one tenant, and only the origins of web pages are checked.
 */
export function createAuthenticator(
  ports: Pick<Ports, "clock" | "findKey">,
  settings: AuthSettings,
): Authenticator {
  if (settings.AUTH === "off") {
    return async (request) => {
      rejectUnlistedOrigin(request, settings);
      return { tenant: tenantWithoutAuth, limits: unlimited };
    };
  }
  return async (request) => {
    const record = await ports.findKey(keyDigest(request));
    if (record === null) throw new ApiError("invalid_api_key", unknownKeyDetail(request.headers));
    // Even for a refused request: its team should see that a program still uses an old key.
    const { id, team, disabled, expiresAt = Number.POSITIVE_INFINITY } = record.key;
    if (request.callRecord !== undefined) {
      request.callRecord.tenant = team;
      request.callRecord.keyId = id;
    }
    if (disabled) throw new ApiError("key_disabled", "The API key was revoked.");
    if (expiresAt <= ports.clock.now()) {
      throw new ApiError("key_disabled", "The API key was rotated and has expired.");
    }
    return { tenant: record.key.team, limits: effectiveLimits(record.limits, settings) };
  };
}

/**
 * Returns the SHA-256 (hex) of the API key in `Authorization: Bearer` or `x-api-key`. Throws
 * `missing_api_key`, or `invalid_api_key` if both headers hold different keys. Digests are compared in
 * constant time, and the key itself does not leave this function.
 */
export function keyDigest({ headers, url = "" }: SentKey): string {
  const digests = [bearerToken(headers.authorization), headers["x-api-key"]]
    .filter((key) => typeof key === "string")
    .filter((key) => key !== "")
    .map((key) => createHash("sha256").update(key).digest());
  const [first, second] = digests;
  if (first === undefined) throw new ApiError("missing_api_key", missingKeyDetail({ headers, url }));
  if (second !== undefined && !timingSafeEqual(first, second)) {
    throw new ApiError("invalid_api_key", "Authorization and x-api-key hold different keys.");
  }
  return first.toString("hex");
}

/** Undefined for other schemes: a proxy may have added its own beside `x-api-key`. */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];
}

const effectiveLimits = (overrides: LimitOverrides, settings: AuthSettings): TeamLimits => ({
  requestsPerSecond: overrides.requestsPerSecond ?? settings.TEAM_REQUESTS_PER_SECOND,
  requestsBurst: overrides.requestsBurst ?? settings.TEAM_REQUESTS_BURST,
  inFlightMax: overrides.inFlightMax ?? settings.TEAM_IN_FLIGHT_MAX,
  bodyBytesPerSecond: overrides.bodyBytesPerSecond ?? settings.TEAM_BODY_BYTES_PER_SECOND,
});

/** Tenant of all calls when AUTH is off, as metrics and records name it. */
const tenantWithoutAuth = "anonymous";

type SentKey = { headers: IncomingHttpHeaders; url?: string };

type Authenticator = (request: FastifyRequest) => Promise<{ tenant: string; limits: TeamLimits }>;

type AuthSettings = CorsSettings & {
  AUTH: "on" | "off";
  TEAM_REQUESTS_PER_SECOND: number;
  TEAM_REQUESTS_BURST: number;
  TEAM_IN_FLIGHT_MAX: number;
  TEAM_BODY_BYTES_PER_SECOND: number;
};
