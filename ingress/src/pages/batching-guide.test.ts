// Covers web/src/docs/guides/batching.ts, as the service answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testServer } from "../../testing/server.ts";
import { timeParts } from "@faceline/web/docs/guides/batching";

test("the guide has every part of Server-Timing", async (t) => {
  const { headers } = await testServer(t).post("/verify", { img1: [1, 0], img2: [1, 0] });
  const parts = Array.from(String(headers["server-timing"]).matchAll(/(\w+);dur/g), ([, name]) => name!);
  assert.deepEqual(Object.keys(timeParts).toSorted(), parts.toSorted());
});
