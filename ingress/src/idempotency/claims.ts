import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "@faceline/contracts/runtime/clock";
import { type RedisConnection, script } from "@faceline/contracts/runtime/redis";
import { idempotencyRecordKey, storedBytesKey } from "@faceline/contracts/wire/names";
import type { Ports, Standing } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { claim, free, keep, renew } from "./scripts.ts";

/** A claim whose ingress died frees itself after this: within three seconds somebody else computes. */
const claimMs = 2_500;
const renewEveryMs = 500;
/** Who waits for an answer that was too large to keep learns so within this. */
const unkeptMs = 10_000;
/** What an answer takes in Redis beside its body. */
const answerOverheadBytes = 512;
const againAfterMs = 1_000;

/**
 * Who computes the answer to an `Idempotency-Key`, and answers that were given: in the volatile Redis, and nowhere else.
 * A claim is renewed for as long as its call runs.
 */
export function openClaims(redis: RedisConnection, clock: Clock, settings: ClaimSettings): Claims {
  const run = {
    claim: script(redis, { name: "takeClaim", lua: claim, numberOfKeys: 1 }),
    keep: script(redis, { name: "keepAnswer", lua: keep, numberOfKeys: 5 }),
    free: script(redis, { name: "freeClaim", lua: free, numberOfKeys: 1 }),
    renew: script(redis, { name: "renewClaim", lua: renew, numberOfKeys: 1 }),
  };
  const { IDEMPOTENCY_KEPT_MS, IDEMPOTENCY_ANSWER_BYTES_MAX } = settings;
  /** By holder; as many as calls are in flight. */
  const held = new Map<string, string>();
  const timer = setInterval(() => {
    // Lost, the next one in time renews it; else another one computes, and the first to keep an answer wins.
    for (const [holder, key] of held) run.renew(key, holder, claimMs).catch(() => {});
  }, renewEveryMs);

  const heldClaim = (team: string, key: string, holder: string) => {
    held.set(holder, key);
    const release = () => run.free(key, holder).catch(() => {});
    return {
      async keep({ status, type, body }: KeptAnswer) {
        if (!held.delete(holder)) return;
        const bytes = Buffer.byteLength(body) + answerOverheadBytes;
        const window = Math.floor(clock.now() / IDEMPOTENCY_KEPT_MS);
        const budgets = [team, "*"].flatMap((whose) => [
          storedBytesKey(whose, window),
          storedBytesKey(whose, window - 1),
        ]);
        const fits = bytes <= IDEMPOTENCY_ANSWER_BYTES_MAX;
        // What does not fit is not even sent.
        const answer = fits ? [status, type, body, bytes] : [status, type, "", Number.MAX_SAFE_INTEGER];
        const { IDEMPOTENCY_TEAM_BYTES_MAX: ofTeam, IDEMPOTENCY_BYTES_MAX: ofAll } = settings;
        const limits = [IDEMPOTENCY_KEPT_MS, ofTeam, ofAll, unkeptMs];
        await run.keep(key, ...budgets, holder, ...answer, ...limits).catch(release);
      },
      async free() {
        if (held.delete(holder)) await release();
      },
    };
  };

  return {
    async claim(team, idempotencyKey, fingerprint) {
      const key = idempotencyRecordKey(team, createHash("sha256").update(idempotencyKey).digest("hex"));
      const holder = randomUUID();
      const reply = await run.claim(key, fingerprint, holder, claimMs).catch(() => {
        throw new Refusal(
          "dependency_unavailable",
          "Idempotency-Key cannot be looked up; try again shortly.",
          {
            retryAfterMs: againAfterMs,
          },
        );
      });
      const [standing, status, type, body] = reply as [string, ...string[]];
      switch (standing) {
        case "claimed":
          return { kind: "claimed", claim: heldClaim(team, key, holder) };
        case "kept":
          return { kind: "kept", answer: { status: Number(status), type: type!, body: body! } };
        default:
          return { kind: standing as "running" | "unkept" | "conflict" };
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
    },
  };
}

type ClaimSettings = Pick<
  HttpSettings,
  | "IDEMPOTENCY_KEPT_MS"
  | "IDEMPOTENCY_ANSWER_BYTES_MAX"
  | "IDEMPOTENCY_TEAM_BYTES_MAX"
  | "IDEMPOTENCY_BYTES_MAX"
>;

type KeptAnswer = Extract<Standing, { kind: "kept" }>["answer"];

export type Claims = AsyncDisposable & { claim: Ports["claim"] };
