import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { capture } from "../../launcher/capture.ts";
import { Child, type Program } from "../../launcher/child.ts";
import { freePorts } from "../../launcher/ports.ts";
import { newPassword } from "../../launcher/secrets.ts";

// Covered by ../chart-admission.e2e.test.ts.

/**
 * Starts Kubernetes' API server over an etcd of its own, on loopback and with a folder that is removed with
 * it. Nothing else of Kubernetes runs: objects are admitted and stored, and no pod is started.
 */
export async function startApiServer({ apiServer, etcd, stop }: ApiServerParts): Promise<ApiServer> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "faceline-apiserver-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [port = 0, etcdPort = 0, peerPort = 0] = await freePorts(3);
  const start = async (program: Program) => {
    const child = new Child(program, () => {});
    opened.defer(async () => void (await child.stop(stopWithinMs, stop)));
    await child.ready(readyWithinMs, stop);
  };

  const [etcdUrl, peerUrl] = [etcdPort, peerPort].map((each) => `http://127.0.0.1:${each}`);
  const etcdArguments = {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": etcdUrl!,
    "advertise-client-urls": etcdUrl!,
    "listen-peer-urls": peerUrl!,
    "initial-advertise-peer-urls": peerUrl!,
    "initial-cluster": `default=${peerUrl}`,
  };
  await start({
    name: "etcd",
    command: etcd,
    args: flags(etcdArguments),
    env: process.env,
    ready: () =>
      fetch(`${etcdUrl}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });

  const token = newPassword();
  const [tokens, signingKey] = [join(folder, "tokens.csv"), join(folder, "service-accounts.pem")];
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const key = await capture("openssl", ["genrsa", "2048"], { stop });
  writeFileSync(signingKey, key.slice(key.indexOf("-----BEGIN")), { mode: 0o600 });
  const certificates = join(folder, "certificates");
  const call = client({ port, token, certificate: join(certificates, "apiserver.crt") });
  const serverArguments = {
    "etcd-servers": etcdUrl!,
    "bind-address": "127.0.0.1",
    "secure-port": `${port}`,
    "cert-dir": certificates,
    "token-auth-file": tokens,
    "service-account-issuer": "https://kubernetes.invalid",
    "service-account-key-file": signingKey,
    "service-account-signing-key-file": signingKey,
    "service-cluster-ip-range": "10.96.0.0/16",
    "authorization-mode": "AlwaysAllow",
    // There is no controller that would make the accounts of pods.
    "disable-admission-plugins": "ServiceAccount",
    // Otherwise it refuses privileged pods itself, before their namespace does.
    "allow-privileged": "true",
  };
  await start({
    name: "kube-apiserver",
    command: apiServer,
    args: flags(serverArguments),
    env: process.env,
    ready: () =>
      call("GET", "/readyz").then(
        ({ status }) => status === 200,
        () => false,
      ),
  });
  const open = opened.move();
  return { call, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Returns etcd of PATH, or Debian's, unpacked into `folder`. Throws a sentence where it cannot be had. */
export async function findEtcd(folder: string, stop: AbortSignal): Promise<string> {
  const isThere = await capture("etcd", ["--version"], { stop }).then(
    () => true,
    () => false,
  );
  if (isThere) return "etcd";
  const own = join(folder, "etcd");
  const program = join(own, "usr/bin/etcd");
  if (existsSync(program)) return program;
  mkdirSync(own, { recursive: true });
  const failed = "etcd cannot be fetched: is apt-get there, and does it reach Debian's etcd-server?";
  await capture("apt-get", ["-q", "download", "etcd-server"], { cwd: own, stop, failed });
  const archive = readdirSync(own).find((file) => file.endsWith(".deb"))!;
  await capture("dpkg-deb", ["-x", join(own, archive), own], { stop, failed });
  return program;
}

const flags = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

const client =
  ({ port, token, certificate }: ClientParts): ApiServer["call"] =>
  async (method, path, body) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      // The server has made it for its name in a cluster.
      ca: readFileSync(certificate),
      checkServerIdentity: () => undefined,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    const { "content-type": type = "", warning = "" } = reply.headers;
    const received = await text(reply);
    return {
      status: reply.statusCode!,
      body: type.startsWith("application/json") ? JSON.parse(received) : received,
      warning,
    };
  };

const readyWithinMs = 60_000;
const stopWithinMs = 10_000;

type ClientParts = { port: number; token: string; certificate: string };

type ApiServerParts = {
  /** Paths of the programs. */
  apiServer: string;
  etcd: string;
  stop: AbortSignal;
};

/** `warning`: what the server says of an object that it admits nevertheless; empty if nothing. */
type ServerReply = { status: number; body: unknown; warning: string };

export type ApiServer = AsyncDisposable & {
  call(method: "GET" | "POST", path: string, body?: unknown): Promise<ServerReply>;
};
