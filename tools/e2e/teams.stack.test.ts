import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient, type Post } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const vectors = { img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };

test("keys and limits of teams, on two ingresses", async (t) => {
  const running = await startStack(t, { ingress: 2 });

  await t.test(
    "a key of `npm run keys` is limited over both ingresses together, and rejected by both after it is revoked",
    async () => {
      const [key = ""] = (await keys("create", "--team", team(), "--per-second", "1", "--burst", "3")).split(
        "\n",
      );
      const clients = running.addresses.map((address) => apiClient(address, key));
      const startedAt = performance.now();
      let served = 0;
      let refused: Awaited<ReturnType<Post>> | undefined;
      await waitUntil("a call is refused", async () => {
        const calls = await Promise.all([...clients, ...clients].map((post) => post("/verify", vectors)));
        served += calls.filter(({ status }) => status === 200).length;
        refused = calls.find(({ status }) => status === 429);
        return refused !== undefined;
      });
      const refilled = Math.ceil((performance.now() - startedAt) / 1_000);
      assert.ok(served >= 3 && served <= 3 + refilled, `${served} calls were served`);
      assert.equal(refused!.headers.get("retry-after"), "1");
      await keys("revoke", "--prefix", key);
      for (const post of clients) {
        await waitUntil("the key is refused", async () => (await post("/verify", vectors)).status === 403);
      }
    },
  );
});

const team = (): string => `team-${randomUUID()}`;

async function keys(...args: string[]): Promise<string> {
  const main = join(import.meta.dirname, "../../deploy/commands/keys.ts");
  return (await promisify(execFile)(process.execPath, [main, ...args])).stdout;
}
