import { createRequire } from "node:module";

/**
 * Patches the consumer of kafkajs 2.2.4, which after an error starts again as a new member of its group. The
 * member that it was stays until its session ends (KAFKA_SESSION_MS), and until then the group assigns no
 * partitions. With the patch, it joins as the same member, unless it has left or the group has removed it.
 */
const { prototype } = createRequire(import.meta.url)("kafkajs/src/consumer/consumerGroup") as {
  prototype: ConsumerGroup;
};
/** Each consumer has one cluster, and a new ConsumerGroup for each start. */
const memberIds = new WeakMap<object, string | null>();
const constructed = new WeakSet<ConsumerGroup>();

Object.defineProperty(prototype, "memberId", {
  get(this: ConsumerGroup) {
    return memberIds.get(this.cluster) ?? null;
  },
  set(this: ConsumerGroup, id: string | null) {
    // The first assignment is that of null in the constructor.
    if (constructed.has(this)) memberIds.set(this.cluster, id);
    else constructed.add(this);
  },
});

type ConsumerGroup = { readonly cluster: object; memberId: string | null };
