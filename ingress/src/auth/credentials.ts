import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../refusal.ts";

/**
 * The SHA-256 of the key that a call came with, in `Authorization: Bearer` or in `x-api-key`. Keys are hashed first and
 * compared afterwards, in constant time; the key itself goes no further than this function.
 */
export function keyDigest(headers: IncomingHttpHeaders): string {
  const given = [bearer(headers.authorization), headers["x-api-key"]]
    .filter((key) => typeof key === "string")
    .filter((key) => key !== "")
    .map((key) => createHash("sha256").update(key).digest());
  const [one, other] = given;
  if (one === undefined) throw new Refusal("missing_api_key", "This call needs an API key.");
  if (other !== undefined && !timingSafeEqual(one, other)) {
    throw new Refusal("invalid_api_key", "Authorization and x-api-key hold different keys.");
  }
  return one.toString("hex");
}

/** Undefined for other schemes: a proxy may have left one of its own beside `x-api-key`. */
function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? "")?.[1];
}
