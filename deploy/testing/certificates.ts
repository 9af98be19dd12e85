import { join } from "node:path";
import { capture } from "../launcher/capture.ts";

/**
 * Makes certificates for servers on loopback with openssl: an authority, certificates of a server and of a
 * client that it has signed, and another authority. Returns the paths of PEM files. Throws if openssl is
 * missing.
 */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const openssl = (...args: string[]) =>
    capture("openssl", args, { cwd: folder, absent: "this test makes certificates: install openssl" });
  const newKey = ["-newkey", "rsa:2048", "-nodes", "-days", "2"];
  for (const name of ["ca", "other-ca"]) {
    await openssl(
      "req",
      "-x509",
      ...newKey,
      "-subj",
      `/CN=${name}`,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
    );
  }
  for (const name of ["server", "client"]) {
    const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", `${name}.key`, "-out", `${name}.pem`];
    await openssl("req", "-x509", ...newKey, "-subj", `/CN=${name}`, ...names, ...signed);
  }
  const path = (name: string): string => join(folder, name);
  return {
    ca: path("ca.pem"),
    otherCa: path("other-ca.pem"),
    server: { certificate: path("server.pem"), key: path("server.key") },
    client: { certificate: path("client.pem"), key: path("client.key") },
  };
}

export type Certificates = { ca: string; otherCa: string; server: KeyPair; client: KeyPair };

type KeyPair = { certificate: string; key: string };
