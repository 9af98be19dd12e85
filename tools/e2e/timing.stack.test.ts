import assert from "node:assert/strict";
import test from "node:test";
import { portraits } from "@faceline/testing/faces";
import { runConcurrently } from "./stack/api-client.ts";
import { startStack } from "./stack/stack.ts";

const callsMax = 2_000;
const inFlightMax = 48;

/** Largest time that no part may account for, or 2 % of a longer call. */
const unaccountedMaxMs = 1;
const unaccountedMaxShare = 0.02;

test("under load, the parts of 99 % of the calls sum up to their total", async (t) => {
  // The second worker and the deadlines make some calls wait, some be held and some be refused.
  const settings = { ENGINE: "model:40+2b", BATCH_MAX: "16", LANE_WAITING_MAX: "64" };
  const running = await startStack(t, { workers: 2, settings });
  const [picture] = (await portraits()).map((each) => each.toString("base64"));
  const statuses = new Map<number, number>();

  const calls = await runConcurrently({ inFlightMax }, [...Array(callsMax).keys()], async (number) => {
    const isVerify = number % 3 === 0;
    const body = isVerify ? { img1: picture, img2: picture } : { img: picture };
    const [post, deadlineMs] = number % 5 === 0 ? [running.postOnce, "150"] : [running.post, "120000"];
    const headers = { "x-request-timeout-ms": deadlineMs };
    const reply = await post(isVerify ? "/verify" : "/represent", body, headers);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    return { status: reply.status, parts: readParts(reply.headers.get("server-timing")) };
  });

  t.diagnostic(`statuses ${JSON.stringify(Object.fromEntries(statuses))}`);
  for (const { parts } of calls) {
    const { total = 0, ...others } = parts;
    const sum = Object.values(others).reduce((sum, ms) => sum + ms, 0);
    assert.ok(Math.abs(sum - total) < 0.1, `the header's parts sum up to ${sum}, not ${total}`);
  }

  // A call that is over before its answer came does not know where its tasks are.
  const hasAnswer = ({ status, parts }: Call) => status === 200 || (status !== 504 && parts["hop"] !== 0);
  const answered = calls.filter(hasAnswer).map(({ parts }) => parts);
  const unaccountedOf = ({ unaccounted = 0 }: Parts) => Math.abs(unaccounted);
  const wrong = answered.filter(
    (parts) => unaccountedOf(parts) > Math.max(unaccountedMaxMs, unaccountedMaxShare * parts["total"]!),
  );
  const sorted = answered.map(unaccountedOf).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  t.diagnostic(`unaccounted: median ${median} ms, largest ${sorted.slice(-3).join(", ")} ms`);
  for (const parts of wrong) t.diagnostic(JSON.stringify(parts));
  assert.ok(answered.length >= 1_000);
  const wrongMax = answered.length / 100;
  assert.ok(wrong.length <= wrongMax, `${wrong.length} of ${answered.length} calls do not sum up`);
});

/** Reads `Server-Timing`: milliseconds by the name of the part. */
function readParts(header: string | null): Parts {
  const parts = [...(header ?? "").matchAll(/(\w+);dur=(-?[\d.]+)/g)];
  return Object.fromEntries(parts.map(([, name, ms]) => [name, Number(ms)]));
}

type Parts = Record<string, number>;
type Call = { status: number; parts: Parts };
