import { createHash, randomUUID } from "node:crypto";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { Clock } from "@faceline/runtime/clock";
import { type RedisConnection, script } from "@faceline/runtime/redis";
import { starvationOf } from "@faceline/runtime/starvation";
import { idempotencyRecordKey, storedBytesKey } from "@faceline/contracts/wire/names";
import { dependencyUnavailable } from "../call/refusal-cause.ts";
import type { IdempotencyLock, Ports, StoredReply } from "../call/ports.ts";
import { acquireScript, releaseScript, renewScript, storeScript } from "./scripts.ts";

/** A lock of a dead process expires after this: another call computes the reply within three seconds. */
const lockMs = 2_500;
const renewEveryMs = 500;
/** How long `not_stored` is known, for calls that wait for a reply that was too large to be stored. */
const notStoredMs = 10_000;
/** Bytes of a record in Redis beside the body of its reply. */
const replyOverheadBytes = 512;
/** Time for which a reply is stored: longer than any client repeats a call, and embeddings do not stay. */
export const idempotencyKeptMs = 600_000;
const MiB = 1024 * 1024;
/**
 * Bytes of a stored reply, overhead included, and of all replies of a team and of all teams; what exceeds one
 * of these is not stored. The largest answer to one image has some 100 KB; all together take an eighth of the
 * volatile Redis, whose other content are the calls in flight.
 */
const replyLimits = { replyBytesMax: 256 * 1024, teamBytesMax: 32 * MiB, bytesMax: 128 * MiB };

/**
 * Locks and stored replies of `Idempotency-Key`s, in the volatile Redis and nowhere else. A lock is renewed
 * for as long as its call runs. A lost renewal is repeated by the next one; if all are lost the lock expires,
 * another call computes, and the reply that is stored first counts.
 */
export function openIdempotencyStore(
  redis: RedisConnection,
  clock: Clock,
  changedLimits: Partial<ReplyLimits> = {},
): IdempotencyStore {
  const limits = { ...replyLimits, ...changedLimits };
  const run = {
    acquire: script(redis, { name: "acquireIdempotencyKey", lua: acquireScript, numberOfKeys: 1 }),
    store: script(redis, { name: "storeReply", lua: storeScript, numberOfKeys: 5 }),
    release: script(redis, { name: "releaseIdempotencyKey", lua: releaseScript, numberOfKeys: 1 }),
    renew: script(redis, { name: "renewIdempotencyKey", lua: renewScript, numberOfKeys: 1 }),
  };
  /** The record of each lock, by holder: as many as calls with a key are in flight. */
  const locked = new Map<string, string>();
  /** Commands that end a lock, in flight. */
  const ending = new Set<Promise<void>>();
  const untilEnded = (end: Promise<void>) => {
    ending.add(end);
    return end.finally(() => ending.delete(end));
  };
  const timer = setInterval(() => {
    for (const [holder, record] of locked) {
      bestEffort("idempotency_renewal", run.renew(record, holder, lockMs));
    }
  }, renewEveryMs);

  const lockOf = (team: string, record: string, holder: string): IdempotencyLock => {
    locked.set(holder, record);
    const release = async () => {
      const released = run.release(record, holder);
      bestEffort("idempotency_release", released);
      await Promise.allSettled([released]);
    };
    const store = async (reply: StoredReply) => {
      const stored = run.store(record, ...bytesKeys(team), holder, ...storeArguments(reply, limits));
      bestEffort("idempotency_store", stored);
      const [{ status }] = await Promise.allSettled([stored]);
      if (status === "rejected") await release();
    };
    return {
      async store(reply) {
        if (locked.delete(holder)) await untilEnded(store(reply));
      },
      async release() {
        if (locked.delete(holder)) await untilEnded(release());
      },
    };
  };

  const bytesKeys = (team: string): string[] => {
    const window = Math.floor(clock.now() / idempotencyKeptMs);
    return [team, "*"].flatMap((owner) => [storedBytesKey(owner, window), storedBytesKey(owner, window - 1)]);
  };

  return {
    async acquire(team, idempotencyKey, fingerprint) {
      const record = idempotencyRecordKey(team, createHash("sha256").update(idempotencyKey).digest("hex"));
      const holder = randomUUID();
      const result = await run.acquire(record, fingerprint, holder, lockMs).catch((error: unknown) => {
        throw dependencyUnavailable("redis-volatile", starvationOf(error) ?? redis.starvation);
      });
      const [kind, status, type, body] = result as [string, ...string[]];
      switch (kind) {
        case "acquired":
          return { kind: "acquired", lock: lockOf(team, record, holder) };
        case "stored":
          return { kind: "stored", reply: { status: Number(status), type: type!, body: body! } };
        default:
          return { kind: kind as "running" | "not_stored" | "conflict" };
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      // The caller closes the connection next, and a reply that is not stored by then would be lost.
      await Promise.all(ending);
    },
  };
}

/** ARGV of the script after the holder. The body of a reply that is too large is not even sent. */
function storeArguments({ status, type, body }: StoredReply, limits: ReplyLimits) {
  const bytes = Buffer.byteLength(body) + replyOverheadBytes;
  const fits = bytes <= limits.replyBytesMax;
  return [
    status,
    type,
    fits ? body : "",
    fits ? bytes : Number.MAX_SAFE_INTEGER,
    idempotencyKeptMs,
    limits.teamBytesMax,
    limits.bytesMax,
    notStoredMs,
  ];
}

export type ReplyLimits = typeof replyLimits;

type IdempotencyStore = AsyncDisposable & { acquire: Ports["acquireIdempotencyKey"] };
