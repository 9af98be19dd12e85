import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { lastDays } from "@faceline/accounts/usage/days";
import { readRecentErrors, readUsage } from "@faceline/accounts/usage/read-usage";
import { newApiKey, setTeamLimits, storeApiKey } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import { connectDurableRedis, DurableRedisConfig, type RedisConnection } from "@faceline/runtime/redis";
import { unlimited } from "@faceline/contracts/stored/team";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { apiClient, runConcurrently } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const calls = 4_000;
const inFlightMax = 16;

const vectors = { img1: Array(128).fill(0.1), img2: Array(128).fill(0.1) };
/** Every tenth call is wrong. */
const bodyOf = (call: number) => (call % 10 === 0 ? { ...vectors, img2: [0.1] } : vectors);

test("counted calls are the calls that were sent, less what a killed ingress counted since its last write", async (t) => {
  const running = await startStack(t, {
    ingress: 2,
    settings: { ENGINE: "model:20+2b" },
  });
  await using durable = await connectDurableRedis(readConfig(DurableRedisConfig, process.env));
  const [steady, killed] = [await newTeam(durable), await newTeam(durable)];
  const [toSteady, toKilled] = [
    apiClient(running.addresses[0]!, steady.key),
    apiClient(running.addresses[1]!, killed.key),
  ];

  const outcomes = async (team: string) => {
    const days = await readUsage(durable, team, lastDays(Date.now(), 2));
    const counts = days.flatMap(({ counts }) => counts);
    const of = (wanted: string) =>
      counts.filter(({ outcome }) => outcome === wanted).reduce((sum, { calls }) => sum + calls, 0);
    return { ok: of("ok"), wrong: of("dimension_mismatch"), other: of("client_left") };
  };
  const total = async (team: string) => Object.values(await outcomes(team)).reduce((sum, n) => sum + n, 0);

  const errors = new Set<string>();
  /** Calls of the team whose ingress is killed: those with and without an answer, and before it is killed. */
  let [answered, unanswered, answeredBefore, countedBefore] = [0, 0, 0, 0];
  const numbers = Array.from({ length: calls / 2 }, (_, i) => i);
  const all = numbers.flatMap((number) => [
    { number, isSteady: true },
    { number, isSteady: false },
  ]);
  await runConcurrently({ inFlightMax }, all, async ({ number, isSteady }) => {
    const id = `call-${number}`;
    const body = bodyOf(number);
    if (isSteady) {
      const { status } = await toSteady("/verify", body, { "x-request-id": id });
      assert.equal(status, number % 10 === 0 ? 400 : 200);
      return;
    }
    if (number === calls / 4) {
      await waitUntil("it has written once", async () => (countedBefore = await total(killed.team)) > 0);
      answeredBefore = answered;
      running.services.find("ingress-2").kill("SIGKILL");
    }
    try {
      const { status } = await toKilled("/verify", body, { "x-request-id": id });
      assert.equal(status, number % 10 === 0 ? 400 : 200);
      answered++;
      if (status === 400) errors.add(id);
    } catch {
      unanswered++;
      // The process is started again, and its clients try again.
      await waitUntil("the ingress is back", async () => isReady(running.addresses[1]!));
    }
  });

  // Both ingresses write what they have when they are stopped.
  await running.services[Symbol.asyncDispose]();
  assert.deepEqual(await outcomes(steady.team), {
    ok: (calls / 2) * 0.9,
    wrong: (calls / 2) * 0.1,
    other: 0,
  });

  const counted = await total(killed.team);
  t.diagnostic(
    `${answered} answered (${answeredBefore} before it was killed, ${countedBefore} of them written), ` +
      `${unanswered} unanswered, ${counted} counted`,
  );
  assert.equal(answered + unanswered, calls / 2);
  assert.ok(unanswered <= inFlightMax + running.events.length, `${unanswered} calls had no answer`);
  assert.ok(counted <= calls / 2, "nothing counts twice");
  // Answers that were on their way when it was killed came later.
  const kept = countedBefore + answered - answeredBefore - inFlightMax;
  assert.ok(counted >= kept, "no more is lost than the calls since the last write");

  const recent = await readRecentErrors(durable, killed.team);
  // Beside refusals for load.
  const { newest } = recent.find(({ code }) => code === "dimension_mismatch")!;
  for (const { requestId } of newest) assert.ok(errors.has(requestId), requestId);
});

/** A team without limits, and a key of it. */
async function newTeam(durable: RedisConnection) {
  const [key, team] = [newApiKey(), `team-${randomUUID()}`];
  await storeApiKey(durable, key, { team, name: "usage" });
  await setTeamLimits(durable, team, unlimited);
  return { key, team };
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok;
  } catch {
    return false;
  }
}
