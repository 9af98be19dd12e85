import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A body in every encoding in which it is sent, ready in memory. */
export type Content = { type: string; etag: string; bodies: Partial<Record<Encoding, Uint8Array>> };

type Encoding = "br" | "gzip" | "identity";

/**
 * Returns a body with its compressed forms. Only for what is the same for every reader: the length of a
 * compressed page gives hints about a secret in it.
 */
export async function compress(type: string, body: Buffer): Promise<Content> {
  const [br, gzipped] = await Promise.all([
    compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    compressGzip(body, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return {
    type,
    etag: etagOf(body),
    bodies: { br: new Uint8Array(br), gzip: new Uint8Array(gzipped), identity: new Uint8Array(body) },
  };
}

/** Returns a body that is compressed already, such as a font. */
export const uncompressed = (type: string, body: Buffer): Content => ({
  type,
  etag: etagOf(body),
  bodies: { identity: new Uint8Array(body) },
});

/** Responds with a body in the best encoding that the client takes, or with 304 if the client has it. */
export function sendContent(request: FastifyRequest, reply: FastifyReply, content: Content) {
  const encoding = chooseEncoding(request.headers["accept-encoding"] ?? "", content);
  const etag = `"${content.etag}-${encoding}"`;
  addVary(reply, "accept-encoding");
  reply.header("etag", etag);
  if (hasEntity(request.headers["if-none-match"] ?? "", etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type(content.type).send(content.bodies[encoding]);
}

/** Names a header of the request that the response depends on, besides those named before. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header("vary", [name, reply.getHeader("vary")].filter(Boolean).join(", "));
}

/**
 * Whether `If-None-Match` names the tag, by the weak comparison of RFC 9110, section 13.1.2: a proxy that
 * compresses makes the tag weak. `*` names any.
 */
function hasEntity(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

function chooseEncoding(accepted: string, { bodies }: Content): Encoding {
  const refused = /;\s*q=0(\.0*)?\s*$/;
  const names = accepted.split(",").flatMap((item) => (refused.test(item) ? [] : item.split(";")[0]!.trim()));
  return (["br", "gzip"] as const).find((name) => names.includes(name) && bodies[name]) ?? "identity";
}

const etagOf = (body: Buffer): string =>
  createHash("sha256").update(body).digest("base64url").slice(0, etagCharacters);

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** 9 takes ten times as long, and makes all pages together a thousandth smaller. */
const brotliQuality = 8;
const etagCharacters = 16;
