/** Rules for the addresses that a download may use, and for the responses. */

/**
 * Throws one sentence if a download may not use the address: only https, or http on this machine. A redirect
 * never leaves https.
 */
export function requireAllowed(url: URL, from?: URL): void {
  if (url.protocol === "https:") return;
  const isHere = url.protocol === "http:" && loopback.has(url.hostname);
  if (isHere && from?.protocol !== "https:") return;
  if (from === undefined) {
    throw new Error(`The address must begin with https:// (http:// is for this machine alone).`);
  }
  throw new Error(`${from.host} redirects to an address that does not begin with https://.`);
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A sentence about a response that is not the file. */
export function refusalOf({ host }: URL, status: number): string {
  if (status === 401 || status === 403)
    return `${host} refuses the file (${status}): it may need an account.`;
  if (status === 404 || status === 410) return `${host} does not have the file (${status}): was it moved?`;
  return `${host} answers ${status} instead of the file.`;
}

/** A sentence about a connection that failed. */
export function failureOf({ host }: URL, { code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  if (code === "ECONNRESET" || code === "EPIPE")
    return `The connection to ${host} was lost (${code}): try again.`;
  if (/CERT|SELF_SIGNED|SSL|TLS/.test(code)) {
    return `The certificate of ${host} is not accepted (${code}): NODE_EXTRA_CA_CERTS names a file of further CAs.`;
  }
  return `${host} cannot be reached (${code}): check the network and HTTPS_PROXY.`;
}
