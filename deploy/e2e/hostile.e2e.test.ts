import assert from "node:assert/strict";
import test from "node:test";
import { together } from "./caller.ts";
import { portraits } from "./faces.ts";
import { type HostileCall, marker } from "./hostile/call.ts";
import { fields } from "./hostile/fields.ts";
import { forms } from "./hostile/forms.ts";
import { hangUp } from "./hostile/hang-ups.ts";
import { heads } from "./hostile/heads.ts";
import { Honest } from "./hostile/honest.ts";
import { memoryIsTold, memoryOf } from "./hostile/memory.ts";
import { mutations } from "./hostile/mutations.ts";
import { numbers } from "./hostile/numbers.ts";
import { pictures } from "./hostile/pictures.ts";
import { send } from "./hostile/send.ts";
import { sources } from "./hostile/sources.ts";
import { huge, syntax } from "./hostile/syntax.ts";
import { filesWith } from "./imprint.ts";
import { until } from "./patience.ts";
import { stack } from "./stack.ts";

// Whatever is sent ends as it is documented: nobody else is served worse for it, the memory comes back, and nothing of it
// is said or written anywhere. Replay the mutations with: SEED=417 npm test -- deploy/e2e/hostile.e2e.test.ts

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const inFlightMax = 4;

test("hostile calls", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const running = await stack(t);
  const [portrait = Buffer.alloc(0), other = Buffer.alloc(0)] = await portraits();
  const families: Record<string, HostileCall[]> = {
    syntax: syntax(),
    numbers: numbers(),
    "fields of another type": fields(),
    heads: heads(running.key),
    forms: forms(),
    "sources of pictures": sources(portrait),
    pictures: await pictures(portrait),
    mutations: mutations(seed, 250, portrait),
    "huge bodies": huge(),
  };
  const honest = new Honest(running, [portrait, other]);
  const pid = running.services.find("ingress-1").pid!;
  // What it takes to serve at all is no growth: buffers, compiled code.
  for (let calls = 0; calls < 50; calls++) await honest.call();
  const before = memoryIsTold ? memoryOf(pid) : undefined;

  const over = new AbortController();
  const beside = honest.callUntil(over.signal);
  for (const [family, calls] of Object.entries(families)) {
    await t.test(`${calls.length} of ${family} end as documented`, async () => {
      // One core parses them: together they would wait for each other, and each is promised its own two seconds.
      const width = family === "huge bodies" ? 1 : inFlightMax;
      const ends = await together({ inFlightMax: width }, calls, (call) => send(running, call));
      assert.deepEqual(
        ends.filter((fault) => fault !== undefined),
        [],
      );
    });
  }
  await t.test("40 that hang up before their body is there leave nothing behind", async () => {
    const announced = { announcedBytes: 32 * 1_048_576 };
    const hangUps = Array.from({ length: 40 }, (_, index) => ({
      ...announced,
      sentBytes: [0, 65_536, 8 * 1_048_576][index % 3]!,
      slowly: index % 2 === 1,
    }));
    await together({ inFlightMax }, hangUps, (each) => hangUp(running, each));
    // All that they announced is more than the service holds at a time.
    assert.equal(await honest.call(), 200);
  });
  over.abort();
  const honestEnds = await beside;

  await t.test("who calls beside them is always served", () => {
    t.diagnostic(`${honestEnds.length} honest calls`);
    assert.deepEqual(
      honestEnds.filter((status) => status !== 200),
      [],
    );
    assert.ok(honestEnds.length > 20);
  });
  const withoutMemory = before === undefined && "there is no /proc to read the memory from";
  await t.test("the memory of the ingress comes back", { skip: withoutMemory }, async () => {
    const grownMib = () => memoryOf(pid).nowMib - before!.nowMib;
    t.diagnostic(`MiB of the ingress: ${JSON.stringify({ before, grown: grownMib() })}`);
    await until(`it keeps at most ${keptMibMax} MiB more than before`, async () => {
      await honest.call();
      return grownMib() < keptMibMax;
    });
    t.diagnostic(`MiB of the ingress: ${JSON.stringify({ after: memoryOf(pid) })}`);
  });
  await t.test("the ingress is the one that was started", () => {
    assert.deepEqual([running.services.find("ingress-1").pid, running.events], [pid, []]);
  });
  await t.test("nothing of what was sent is in a log", async () => {
    await running.services[Symbol.asyncDispose]();
    assert.deepEqual(await filesWith([Buffer.from(marker)], [running.logs]), []);
  });
  await t.test("they were at least 500", () => {
    assert.ok(Object.values(families).flat().length >= 500);
  });
});

/** Buffers of the largest bodies are kept a while; what they would unpack to is gigabytes. */
const keptMibMax = 192;
