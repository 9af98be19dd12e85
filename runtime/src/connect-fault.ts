/**
 * Returns an error about a connection that failed, in one sentence: what happened, and which setting to
 * correct. `cause` is the error of the client library; only its error code is repeated, because some
 * libraries quote what was sent. Tested on real servers by deploy/launcher/encrypted-servers.live.test.ts.
 */
export function connectFault(cause: unknown, settings: ConnectionSettings): Error {
  const refusal = refusalOf(cause, settings);
  if (refusal !== undefined) return new Error(refusal, { cause });
  const { address, unreachable, remedy } = settings;
  // ECONNREFUSED, ENOTFOUND, ETIMEDOUT
  const { code: errorCode, message } = (cause ?? {}) as NodeJS.ErrnoException;
  const code = /\bE[A-Z_]{4,}\b/.exec(`${errorCode} ${message}`)?.[0];
  const sentence = `${address}: ${unreachable}${code === undefined ? "" : ` (${code})`}; ${remedy}`;
  return new ServerUnreachable(sentence, { cause });
}

/** A server did not respond when a service started. It may be about to start, so a retry may help. */
export class ServerUnreachable extends Error {}

/** Undefined if the server refused nothing. */
function refusalOf(cause: unknown, settings: ConnectionSettings): string | undefined {
  const { address, login, ca, certificate } = settings;
  const text = `${(cause as Error | undefined)?.message}`;
  const { code: errorCode = "" } = (cause ?? {}) as NodeJS.ErrnoException;
  const code = /[A-Z]+(?:_[A-Z0-9]+)+/.exec(`${errorCode} ${text}`)?.[0];
  if (/WRONGPASS|NOAUTH|authentication failed|mechanism is not supported/i.test(text)) {
    return `${address}: the server refuses the user or the password; correct ${login}`;
  }
  if (/NOPERM/.test(text))
    return `${address}: this user may not do what the service needs; allow it in the ACL`;
  if (/certificate required|handshake failure|bad certificate|unknown ca|_ALERT_/i.test(text)) {
    return `${address}: the server refuses our certificate; correct ${certificate}`;
  }
  if (/certificate|altname|issuer/i.test(`${code} ${text}`)) {
    return `${address}: the certificate of the server is not trusted${code === undefined ? "" : ` (${code})`}; correct ${ca}`;
  }
  if (/wrong version number|packet length|EPROTO/i.test(text)) {
    return `${address}: the server does not use TLS there; correct the address, or turn TLS off`;
  }
  return undefined;
}

/** Names of the settings to correct; `unreachable` and `remedy`: what to say about any other fault. */
type ConnectionSettings = {
  address: string;
  login: string;
  ca: string;
  certificate: string;
  unreachable: string;
  remedy: string;
};
