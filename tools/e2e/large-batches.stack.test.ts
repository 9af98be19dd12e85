// Covers batches of more than 64 tasks on their way through Kafka, a worker and Redis, with a modelled
// accelerator, whose answers are all alike. inference/src/worker.test.ts covers which task gets which.
import assert from "node:assert/strict";
import test from "node:test";
import { CompareResponse } from "@faceline/contracts/http/compare";
import type { LiveState } from "@faceline/runtime/live/state";
import { batchTasksMax } from "@faceline/contracts/wire/batch";
import { tinyJpeg } from "@faceline/bench/images";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { startStack, type TestStack } from "./stack/stack.ts";

const settings = {
  ENGINE: "model:300+1b",
  BATCH_MAX: `${batchTasksMax}`,
  TEAM_REQUESTS_PER_SECOND: "0",
  TEAM_REQUESTS_BURST: "0",
};
/** Together 612 images: more than two of the largest batches. */
const calls = 12;
const candidates = 50;

test("batches of up to 256 tasks are run, and every image of every call is answered once", async (t) => {
  const stack = await startStack(t, { settings, operators: true });
  const img = (await tinyJpeg()).toString("base64");
  const compare = async (call: number) => {
    // As long as ids and trace states may be, so that messages are as large as they can be.
    const id = `${call}-`.padEnd(128, "r");
    const headers = {
      "x-request-id": id,
      traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`,
      tracestate: ["a", "b"].map((vendor) => `${vendor}=${'"'.repeat(250)}`).join(),
    };
    const body = {
      img,
      candidates: Array.from({ length: candidates }, (_, i) => ({ id: `${call}/${i}`, img })),
    };
    const response = await stack.post("/compare", body, headers);
    assert.equal(response.status, 200, JSON.stringify(response.body).slice(0, 500));
    return CompareResponse.parse(response.body);
  };
  let sizes: number[] = [];
  await waitUntil("calls that arrived while the worker was occupied went together", async () => {
    const responses = await Promise.all(Array.from({ length: calls }, (_, call) => compare(call)));
    for (const [call, { results, request_id }] of responses.entries()) {
      assert.equal(request_id, `${call}-`.padEnd(128, "r"));
      const compared = results.map((each) => ("distance" in each ? [each.id, each.distance] : each));
      const expected = Array.from({ length: candidates }, (_, i) => [`${call}/${i}`, 0]);
      assert.deepEqual(compared, expected);
    }
    sizes = await sizesOf(stack);
    return Math.max(...sizes) > 64;
  });
  t.diagnostic(`largest batches of the last minutes: ${sizes.join(", ")}`);
});

/** The largest batch of each of the last minutes. */
async function sizesOf({ operatorsPorts }: TestStack): Promise<number[]> {
  const response = await fetch(`http://127.0.0.1:${operatorsPorts["batcher-1"]}/live.json`);
  const { tables } = (await response.json()) as LiveState;
  return tables["lastMinutes"]!.map(({ largestBatch }) => largestBatch as number);
}
