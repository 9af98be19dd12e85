import { isIP } from "node:net";

/**
 * Returns the options of Node's TLS for a connection to `host`. Without a CA, those that Node trusts apply.
 * An IP address is not a server name (RFC 6066, section 3); Node still compares it with the certificate.
 */
export const tlsOptions = (host: string, { ca, certificate, key }: TlsFiles): TlsOptions => ({
  ...(ca === undefined ? {} : { ca }),
  ...(certificate === undefined ? {} : { cert: certificate }),
  ...(key === undefined ? {} : { key }),
  ...(isIP(host) === 0 ? { servername: host } : {}),
});

/** Contents of PEM files. `ca`: trusted in place of Node's own list. `certificate`, `key`: the client's. */
export type TlsFiles = {
  ca?: string | undefined;
  certificate?: string | undefined;
  key?: string | undefined;
};

type TlsOptions = { ca?: string; cert?: string; key?: string; servername?: string };
