import assert from "node:assert/strict";
import test from "node:test";
import { openReceivers } from "./receivers.ts";

test("one receiver answers, one takes a request and never answers, and nobody listens at the third", async () => {
  await using receivers = await openReceivers();
  const { present, hanging, down } = receivers.addresses;
  const post = (address: string, signal?: AbortSignal) =>
    fetch(`${address}/v1/traces`, { method: "POST", body: "spans", ...(signal && { signal }) });
  assert.equal((await post(present)).status, 200);
  assert.equal(receivers.requests(), 1);
  await assert.rejects(post(down), (error: Error) => /ECONNREFUSED/.test(String(error.cause)));
  const patience = new AbortController();
  const hung = post(hanging, patience.signal);
  const first = await Promise.race([hung.catch(() => "ended"), post(present).then(() => "not yet")]);
  assert.equal(first, "not yet");
  patience.abort();
  await assert.rejects(hung);
});
