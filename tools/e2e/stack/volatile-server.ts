import { mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { Child } from "@faceline/deploy/launcher/child";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { findRedis } from "@faceline/deploy/launcher/redis-install";
import { volatileRedis } from "@faceline/deploy/launcher/redis-server";
import { type VolatileUser, volatileUsers } from "@faceline/deploy/launcher/redis-users";
import { newPassword } from "@faceline/deploy/launcher/secrets";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";

const readyWithinMs = 10_000;
const memoryMaxMib = 64;
const unhurried = new AbortController().signal;

/**
 * Starts one more volatile Redis for a pool of its own, as the launcher does and with its users. It is killed
 * after the test.
 */
export async function startVolatileServer(t: Pick<TestContext, "after">): Promise<VolatileServer> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const { redis } = openStateFolder(resolve(repository, FACELINE_STATE));
  const { command } = await findRedis(redis, unhurried);
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "volatile-"));
  const [port = 0] = await freePorts(1);
  const password = newPassword();
  const users = Object.entries(volatileUsers).map(([user, rights]) => ({ user, password, rights }));
  const options = { port, users, probe: "ingress", memoryMaxMib };
  const child = new Child(volatileRedis(command, folder, options), () => {});
  await child.ready(readyWithinMs, unhurried);
  const kill = async () => {
    child.kill("SIGKILL");
    await child.ended;
  };
  t.after(kill);
  return { addressFor: (user) => `redis://${user}:${password}@127.0.0.1:${port}`, kill };
}

type VolatileServer = {
  /** With the password of the user. */
  addressFor(user: VolatileUser): string;
  kill(): Promise<void>;
};
