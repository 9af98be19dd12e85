import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import "./kafkajs-member-patch.ts";

const ConsumerGroup = createRequire(import.meta.url)("kafkajs/src/consumer/consumerGroup");

test("a consumer that starts again joins its group as the member that it was", async () => {
  const { start, joins } = consumer();
  await start().joinAndSync();
  await start().joinAndSync();
  assert.deepEqual(joins, ["", "member-1"]);
});

test("a consumer joins as a new member after it left, and when the group has removed it", async () => {
  const { start, joins, members } = consumer();
  const first = start();
  await first.joinAndSync();
  await first.leave();
  await start().joinAndSync();
  members.clear();
  await start().joinAndSync();
  assert.deepEqual(joins, ["", "", "member-2", ""]);
});

test("two consumers of a process are two members", async () => {
  for (const { start, joins } of [consumer(), consumer()]) {
    await start().joinAndSync();
    assert.deepEqual(joins, [""]);
  }
});

/** `start` is what kafkajs does at a start, `joins` the member ids with which it has joined since. */
function consumer() {
  const joins: string[] = [];
  const members = new Set<string>();
  const coordinator = {
    async joinGroup({ memberId }: { memberId: string }) {
      joins.push(memberId);
      if (memberId !== "" && !members.has(memberId)) {
        throw Object.assign(new Error("unknown member"), { type: "UNKNOWN_MEMBER_ID" });
      }
      const id = memberId || `member-${joins.length}`;
      members.add(id);
      return { memberId: id, leaderId: "another", generationId: 1, members: [], groupProtocol: "" };
    },
    syncGroup: async () => ({ memberAssignment: Buffer.alloc(0) }),
    leaveGroup: async ({ memberId }: { memberId: string }) => void members.delete(memberId),
  };
  const cluster = {
    findGroupCoordinator: async () => coordinator,
    findTopicPartitionMetadata: () => [],
    committedOffsets: () => ({}),
  };
  const start = () =>
    new ConsumerGroup({
      cluster,
      logger: { namespace: () => ({ info() {}, debug() {} }) },
      instrumentationEmitter: { emit() {} },
      retry: { initialRetryTime: 1 },
      assigners: [],
      topics: [],
      groupId: "group",
    });
  return { start, joins, members };
}
