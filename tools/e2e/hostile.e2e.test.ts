import assert from "node:assert/strict";
import test from "node:test";
import { portraits } from "@faceline/testing/faces";
import { processMemory, processMemoryIsReadable } from "@faceline/testing/process-memory";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { disconnectEarly } from "./hostile/disconnect.ts";
import { headers } from "./hostile/headers.ts";
import { type HostileCall, marker } from "./hostile/hostile-call.ts";
import { huge } from "./hostile/huge.ts";
import { mutations } from "./hostile/mutations.ts";
import { images } from "./hostile/images.ts";
import { send } from "./hostile/send.ts";
import { runConcurrently } from "./stack/api-client.ts";
import { filesContaining } from "./stack/disk-search.ts";
import { startStack } from "./stack/stack.ts";

// Every hostile call ends with a documented answer. Other callers are still served, the memory is released,
// and no response or log repeats the content. Replay the mutations with:
// SEED=417 npm test -- tools/e2e/hostile.e2e.test.ts

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const inFlightMax = 4;

test("hostile calls", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const running = await startStack(t);
  const [portrait = Buffer.alloc(0), other = Buffer.alloc(0)] = await portraits();
  const families: Record<string, HostileCall[]> = {
    headers: headers(running.key),
    images: await images(portrait),
    mutations: mutations(seed, 250, portrait),
    "huge bodies": huge(),
  };
  const [img1, img2] = [portrait, other].map((image) => image.toString("base64"));
  const normalCall = async () => (await running.postOnce("/verify", { img1, img2 })).status;
  const pid = running.services.find("ingress-1").pid!;
  // Warm-up: buffers and compiled code are not a leak.
  for (let calls = 0; calls < 50; calls++) await normalCall();
  const before = processMemoryIsReadable ? processMemory(pid) : undefined;

  const finished = new AbortController();
  const statuses: number[] = [];
  const concurrent = (async () => {
    while (!finished.signal.aborted) statuses.push(await normalCall());
  })();
  for (const [family, calls] of Object.entries(families)) {
    await t.test(`${calls.length} of ${family} end with the documented answer`, async () => {
      // One core parses them: concurrent calls would wait for each other and exceed the time limit of each.
      const concurrency = family === "huge bodies" ? 1 : inFlightMax;
      const faults = await runConcurrently({ inFlightMax: concurrency }, calls, (call) =>
        send(running, call),
      );
      assert.deepEqual(
        faults.filter((fault) => fault !== undefined),
        [],
      );
    });
  }
  await t.test("40 clients that disconnect before their body is complete leave nothing behind", async () => {
    const announcedBytes = 32 * 1_048_576;
    const disconnects = Array.from({ length: 40 }, (_, index) => ({
      announcedBytes,
      sentBytes: [0, 65_536, 8 * 1_048_576][index % 3]!,
      slowly: index % 2 === 1,
    }));
    await runConcurrently({ inFlightMax }, disconnects, (each) => disconnectEarly(running, each));
    // Together they announced more than the service holds at a time.
    assert.equal(await normalCall(), 200);
  });
  finished.abort();
  await concurrent;

  await t.test("a normal client is served all the time", () => {
    t.diagnostic(`${statuses.length} normal calls`);
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    );
    assert.ok(statuses.length > 20);
  });
  const memoryUnavailable = before === undefined && "there is no /proc to read the memory from";
  await t.test("the ingress releases the memory", { skip: memoryUnavailable }, async () => {
    const grownMib = () => processMemory(pid).nowMib - before!.nowMib;
    t.diagnostic(`MiB of the ingress: ${JSON.stringify({ before, grown: grownMib() })}`);
    await waitUntil(`it has at most ${growthMibMax} MiB more than before`, async () => {
      await normalCall();
      return grownMib() < growthMibMax;
    });
    t.diagnostic(`MiB of the ingress: ${JSON.stringify({ after: processMemory(pid) })}`);
  });
  await t.test("the ingress was not restarted", () => {
    assert.deepEqual([running.services.find("ingress-1").pid, running.events], [pid, []]);
  });
  await t.test("no content of a call is in a log", async () => {
    await running.services[Symbol.asyncDispose]();
    assert.deepEqual(await filesContaining([Buffer.from(marker)], [running.logs]), []);
  });
});

/**
 * Buffers of the largest bodies are kept for a while. Parsed without limits, the bodies would take gigabytes.
 */
const growthMibMax = 192;
