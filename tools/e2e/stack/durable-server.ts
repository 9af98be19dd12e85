import { mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { Child } from "@faceline/deploy/launcher/child";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { findRedis } from "@faceline/deploy/launcher/redis-install";
import { durableRedis } from "@faceline/deploy/launcher/redis-server";
import { type DurableUser, durableUsers, unrestricted } from "@faceline/deploy/launcher/redis-users";
import { newPassword } from "@faceline/deploy/launcher/secrets";
import { testUser } from "@faceline/deploy/launcher/server-access";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";

const readyWithinMs = 10_000;
const unhurried = new AbortController().signal;

/**
 * Starts a durable Redis for one test, as the launcher does and with its users, so that the test may kill it
 * and start it again. One more user may do everything. It is killed after the test.
 */
export async function startDurableServer(t: Pick<TestContext, "after">): Promise<DurableServer> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const { redis } = openStateFolder(resolve(repository, FACELINE_STATE));
  const { command } = await findRedis(redis, unhurried);
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "durable-"));
  const [port = 0] = await freePorts(1);
  const password = newPassword();
  const rightsOf = { ...durableUsers, [testUser]: unrestricted };
  const users = Object.entries(rightsOf).map(([user, rights]) => ({ user, password, rights }));
  const program = durableRedis(command, folder, { port, users, probe: "keys" });

  const run = async () => {
    const child = new Child(program, () => {});
    await child.ready(readyWithinMs, unhurried);
    return child;
  };
  let child = await run();
  const kill = async () => {
    child.kill("SIGKILL");
    await child.ended;
  };
  t.after(kill);
  return {
    folder,
    access: (user) => ({
      REDIS_DURABLE_URL: `redis://${user}:${password}@127.0.0.1:${port}`,
      REDIS_DURABLE_PASSWORD_FILE: "",
    }),
    kill,
    async startAgain() {
      child = await run();
    },
  };
}

type DurableServer = {
  /** Where it persists. */
  folder: string;
  /** The settings with which a process reaches it as this user. */
  access(user: DurableUser | typeof testUser): Record<string, string>;
  kill(): Promise<void>;
  /** With what it had stored. */
  startAgain(): Promise<void>;
};
