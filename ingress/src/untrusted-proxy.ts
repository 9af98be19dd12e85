import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Warns when a request was forwarded by an address that TRUSTED_PROXIES does not name, because all people
 * behind it then count as one address. Each sentence is logged once per process: clients may send these
 * headers too. It names no address, which could be a caller's.
 */
export function warnOfUntrustedProxy(server: FastifyInstance, warn: (sentence: string) => void): void {
  const written = new Set<string>();
  server.addHook("onRequest", (request, _reply, done) => {
    const sentence = forwardingFault(request);
    if (sentence !== undefined && !written.has(sentence)) {
      written.add(sentence);
      warn(sentence);
    }
    done();
  });
}

function forwardingFault({ headers, ips }: FastifyRequest): string | undefined {
  const forwardedFor = headers["x-forwarded-for"];
  if (forwardedFor === undefined) {
    const isForwarded = headers["forwarded"] !== undefined || headers["x-real-ip"] !== undefined;
    return isForwarded ? otherHeader : undefined;
  }
  const forwarders = [forwardedFor].flat().join().split(",").length;
  // The addresses from the nearest one up to the first that is not trusted.
  const trusted = (ips?.length ?? 1) - 1;
  return trusted < forwarders ? untrusted : undefined;
}

const consequence =
  "until then all people behind it share the limits of one address (tester, forms, sign-in)";

const untrusted = `X-Forwarded-For came from an address that TRUSTED_PROXIES does not name; if a proxy of yours sent it, name the proxy there: ${consequence}`;

const otherHeader = `Forwarded or X-Real-IP came without X-Forwarded-For, the only one that is read; if a proxy of yours sent it, let it send X-Forwarded-For and name it in TRUSTED_PROXIES: ${consequence}`;
