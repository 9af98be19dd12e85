import type { FastifyRequest } from "fastify";
import type { Ports } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { keyDigest } from "./credentials.ts";
import { KeyRing } from "./key-ring.ts";

/** Who may call: the tenant of the key, or a Refusal. It looks at headers alone: the body has not been read yet. */
export function openGate(ports: Ports, settings: HttpSettings): Gate {
  if (settings.AUTH === "off") {
    return async (request) => {
      refusePages(request, settings);
      return settings.TENANT_WITHOUT_AUTH;
    };
  }
  const ring = new KeyRing(ports, settings);
  return async (request) => {
    const key = await ring.find(keyDigest(request.headers));
    if (key === null) throw new Refusal("invalid_api_key", "The API key is not known.");
    if (key.disabled) throw new Refusal("key_disabled", "The API key is disabled.");
    return key.team;
  };
}

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

export type Gate = (request: FastifyRequest) => Promise<string>;
