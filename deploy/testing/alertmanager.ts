import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { freePorts } from "../launcher/ports.ts";
import { openStateFolder, repository } from "../launcher/state-folder.ts";
import { unpackDebian } from "../observe/viewers/prometheus-install.ts";
import { temporaryFolder } from "./prometheus.ts";
import { waitUntil } from "./wait-until.ts";

/** Returns Debian's Alertmanager, unpacked into the state folder; undefined if it cannot be had. */
export async function findAlertmanager(): Promise<AlertmanagerCommands | undefined> {
  const state = openStateFolder(resolve(repository, process.env["FACELINE_STATE"] ?? ".faceline"));
  const folder = join(state.prometheus, "..", "debian-alertmanager");
  const commands = {
    alertmanager: join(folder, "usr/bin/prometheus-alertmanager"),
    amtool: join(folder, "usr/bin/amtool"),
    share: join(folder, "usr/share"),
  };
  const isThere =
    existsSync(commands.amtool) ||
    (await unpackDebian(["prometheus-alertmanager"], folder, new AbortController().signal));
  return isThere ? commands : undefined;
}

/** Starts an Alertmanager for one test. `notified` sends it alerts and returns those that people hear of. */
export async function openAlertmanager(
  t: Pick<TestContext, "after">,
  { alertmanager, share }: AlertmanagerCommands,
  configuration: string,
): Promise<{ notified(alerts: Labels[]): Promise<Labels[]> }> {
  const [port = 0] = await freePorts(1);
  // Debian's reads its templates below /usr/share, and has no option for them.
  const inOwnShare = 'mount --bind "$0" /usr/share && exec "$@"';
  const child = spawn(
    "unshare",
    [
      "--map-root-user",
      "--mount",
      "sh",
      "-c",
      inOwnShare,
      share,
      alertmanager,
      `--config.file=${configuration}`,
      `--storage.path=${temporaryFolder()}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    { stdio: "ignore" },
  );
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, "exit");
  });
  const address = `http://127.0.0.1:${port}`;
  await waitUntil("Alertmanager is ready", async () => {
    if (child.exitCode !== null) throw new Error("Alertmanager has ended.");
    const response = await fetch(`${address}/-/ready`).catch(() => undefined);
    return response?.status === 200;
  });
  return {
    async notified(alerts) {
      await fetch(`${address}/api/v2/alerts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(alerts.map((labels) => ({ labels }))),
      });
      let seen: Alert[] = [];
      await waitUntil("Alertmanager has all alerts", async () => {
        seen = (await (await fetch(`${address}/api/v2/alerts`)).json()) as Alert[];
        return seen.length === alerts.length;
      });
      return seen.filter(({ status }) => status.state !== "suppressed").map(({ labels }) => labels);
    },
  };
}

type AlertmanagerCommands = { alertmanager: string; amtool: string; share: string };
type Labels = Record<string, string>;
type Alert = { labels: Labels; status: { state: string } };
