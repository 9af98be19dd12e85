import { mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/contracts/runtime/config";
import { Child } from "../../launcher/child.ts";
import { freePorts } from "../../launcher/ports.ts";
import { findRedis } from "../../launcher/redis-install.ts";
import { durableRedis } from "../../launcher/redis-server.ts";
import { type DurableUser, durableUsers, unrestricted } from "../../launcher/redis-users.ts";
import { newPassword } from "../../launcher/secrets.ts";
import { testUser } from "../../launcher/server-access.ts";
import { LauncherConfig } from "../../launcher/settings.ts";
import { openStateFolder, repository } from "../../launcher/state-folder.ts";

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
