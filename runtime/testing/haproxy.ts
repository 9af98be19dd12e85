import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Value for the `skip` of a test: false if HAProxy is installed, else the reason to print. */
export const withoutHaproxy: string | false =
  spawnSync("haproxy", ["-v"]).error !== undefined && "NOT CHECKED behind a proxy: apt install haproxy";

const configuration = join(import.meta.dirname, "../../deploy/compose/haproxy.cfg");

/**
 * Starts HAProxy with deploy/compose/haproxy.cfg on a port of loopback, before the ingresses on `servers`.
 * Resolves when it has found two of them ready. It is killed at the end.
 */
export async function startHaproxy(port: number, servers: number[]): Promise<AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "faceline-haproxy-"));
  const lines = servers.map((server, index) => `    server ingress-${index + 1} 127.0.0.1:${server}`);
  const own = readFileSync(configuration, "utf8")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace(/ resolvers containers init-addr none/, "")
    .replace(/^resolvers [^]*?(?=^frontend)/m, "")
    .replace(/^ +server-template .*$/m, lines.join("\n"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, own);
  const proxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  const close = async () => {
    proxy.kill("SIGKILL");
    await once(proxy, "exit");
    rmSync(folder, { recursive: true });
  };
  await waitUntilRedundant(port);
  return { [Symbol.asyncDispose]: close };
}

/** Resolves when two ingresses are ready for the proxy on this port of loopback. */
export async function waitUntilRedundant(port: number): Promise<void> {
  while (!(await isRedundant(port))) await sleep(50);
}

/** Whether the proxy has found two ingresses ready. */
export async function isRedundant(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/proxyz`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok === true;
}
