import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { testPool } from "../../testing/server.ts";
import { dispatchRefusal, refusal, refusalCause, refusals } from "./refusal-cause.ts";

const own = { isServing: true, kafka: true, redis: true, hasTopics: true };
const kafkaBlocked = { ...testPool, blockedBy: "kafka" } as const;
const redisBlocked = { ...testPool, blockedBy: "redis-volatile" } as const;

test("what this process sees itself counts before what pools say, and missing workers last", () => {
  const down = { isServing: false, kafka: false, redis: false, hasTopics: false };
  assert.equal(refusalCause(down, [redisBlocked]), "stopping");
  assert.equal(refusalCause({ ...down, isServing: true }, [redisBlocked]), "kafka");
  assert.equal(refusalCause({ ...own, redis: false }, [kafkaBlocked]), "redis-volatile");
  assert.equal(refusalCause({ ...own, hasTopics: false }, []), "topic");
  assert.equal(refusalCause(own, []), "batcher");
  assert.equal(refusalCause({ ...own, redisReturned: true }, []), "redis-volatile");
  assert.equal(refusalCause({ ...own, redisReturned: true }, [testPool]), "workers");
  assert.equal(refusalCause(own, [testPool, kafkaBlocked]), "kafka");
  assert.equal(refusalCause(own, [redisBlocked]), "redis-volatile");
  // Another pool of Kafka lacks its topic; this one reports that it has no workers.
  assert.equal(refusalCause({ ...own, hasTopics: false }, [testPool]), "workers");
});

test("a process that could hardly run blames the load and no batcher whose states it could not read", () => {
  const starved = { ...own, isStarved: true };
  const load = dispatchRefusal(starved, []);
  assert.deepEqual([load.code, load.details.shed], ["queue_full", "cpu_starved"]);
  assert.equal(dispatchRefusal(starved, [kafkaBlocked]).details.dependency, "kafka");
  assert.equal(dispatchRefusal({ ...starved, isServing: false }, []).code, "not_ready");
  assert.equal(dispatchRefusal({ ...starved, kafka: false }, []).details.dependency, "kafka");
});

test("a refusal names a dependency exactly if its code is dependency_unavailable", () => {
  for (const cause of Object.keys(refusals) as (keyof typeof refusals)[]) {
    const { code, status, details } = refusal(cause);
    assert.equal(status, 503);
    assert.equal(details.dependency !== undefined, code === "dependency_unavailable", cause);
    assert.ok(details.retryAfterMs! >= 1_000);
  }
});

test("the table of refusals in docs/operating/failures.md is the one that calls are refused by", () => {
  const document = readFileSync(`${import.meta.dirname}/../../../docs/operating/failures.md`, "utf8");
  const rows = [...document.matchAll(/^\| `(\w+)` \| (\S+) \| (.+?) \| .+ \|$/gm)].map(
    ([, ...cells]) => cells,
  );
  const expected = Object.values(refusals).map((each) => [
    each.code,
    "dependency" in each ? `\`${each.dependency}\`` : "–",
    each.detail,
  ]);
  assert.deepEqual(rows, expected);
});
