import { mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { Child } from "@faceline/deploy/launcher/child";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { findRedis } from "@faceline/deploy/launcher/redis-install";
import { durableRedis, volatileRedis } from "@faceline/deploy/launcher/redis-server";
import {
  type DurableUser,
  durableUsers,
  unrestricted,
  type VolatileUser,
  volatileUsers,
} from "@faceline/deploy/launcher/redis-users";
import { newPassword } from "@faceline/deploy/launcher/secrets";
import { testUser } from "@faceline/deploy/launcher/server-access";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";

/**
 * Starts a durable Redis for one test, as the launcher does and with its users, so that the test may kill it
 * and start it again. One more user may do everything. It is killed after the test.
 */
export async function startDurableServer(t: Pick<TestContext, "after">) {
  const server = await startServer(t, "durable");
  return {
    ...server,
    /** Returns the settings with which a process reaches it as this user. */
    access: (user: DurableUser | typeof testUser): Record<string, string> => ({
      REDIS_DURABLE_URL: server.addressFor(user),
      REDIS_DURABLE_PASSWORD_FILE: "",
    }),
  };
}

/** Starts a volatile Redis of 64 MiB in the same way. */
export async function startVolatileServer(t: Pick<TestContext, "after">) {
  const server = await startServer(t, "volatile");
  return {
    ...server,
    /** Returns the settings with which a service reaches it as its user. */
    access: (user: VolatileUser | typeof testUser): Record<string, string> => ({
      REDIS_VOLATILE_URL: server.addressFor(user),
      REDIS_VOLATILE_PASSWORD_FILE: "",
    }),
  };
}

async function startServer(t: Pick<TestContext, "after">, kind: "durable" | "volatile") {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const { redis } = openStateFolder(resolve(repository, FACELINE_STATE));
  const { command } = await findRedis(redis, never);
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, `${kind}-`));
  const [port = 0] = await freePorts(1);
  const password = newPassword();
  const rightsOf = { ...(kind === "durable" ? durableUsers : volatileUsers), [testUser]: unrestricted };
  const users = Object.entries(rightsOf).map(([user, rights]) => ({ user, password, rights }));
  const program =
    kind === "durable"
      ? durableRedis(command, folder, { port, users, probe: "keys" })
      : volatileRedis(command, folder, { port, users, probe: "ingress", memoryMaxMib: 64 });

  const run = async () => {
    const child = new Child(program, () => {});
    await child.ready(readyWithinMs, never);
    return child;
  };
  let child = await run();
  const kill = async () => {
    child.kill("SIGKILL");
    await child.ended;
  };
  t.after(kill);
  return {
    /** Folder where it persists. */
    folder,
    addressFor: (user: string): string => `redis://${user}:${password}@127.0.0.1:${port}`,
    kill,
    /** Starts it again with what it had stored. */
    async startAgain() {
      child = await run();
    },
    suspend: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
  };
}

const readyWithinMs = 600_000;
const never = new AbortController().signal;
