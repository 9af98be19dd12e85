// Used by rebalance-simulation.ts.

import type { EventQueue } from "./event-queue.ts";
import type { Random } from "./random.ts";

/**
 * A tasks topic with one partition, and the coordinator of its consumer group, as Kafka runs it:
 *
 *     stable ──join, leave, silence for a session──► joining ──all have joined──► syncing ──► stable
 *
 * A member that does not rejoin within the time of a rebalance is removed. Only a member of the current
 * generation commits. Who gets the partition is drawn.
 */
export class SimulatedKafka {
  readonly log: Buffer[] = [];
  committed = 0;
  /** The member that was given the partition, and when. */
  holder: { member: string; since: number } | undefined;
  readonly #parts: KafkaParts;
  readonly #members = new Map<string, Member>();
  readonly #waiting = new Set<() => void>();
  #phase: "stable" | "joining" | "syncing" = "stable";
  #generation = 0;
  #memberCount = 0;

  constructor(parts: KafkaParts) {
    this.#parts = parts;
  }

  append(message: Buffer): void {
    this.log.push(message);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Calls `reply` when there are messages at `position`, or after `waitMs`. */
  fetch(position: number, waitMs: number, reply: (messages: Buffer[]) => void): void {
    let replied = false;
    const answer = () => {
      if (replied) return;
      replied = true;
      this.#waiting.delete(answer);
      reply(this.log.slice(position, position + fetchedMax));
    };
    if (this.log.length > position) return answer();
    this.#waiting.add(answer);
    this.#parts.events.after(waitMs, answer);
  }

  /** Joins as a new member, or again. Calls `onJoined` when all members have. */
  join(known: string | undefined, onJoined: (member: string, generation: number) => void): void {
    const member = known !== undefined && this.#members.has(known) ? known : `member-${this.#memberCount++}`;
    this.#members.set(member, { heardAt: this.#parts.events.now, onJoined });
    if (this.#phase !== "joining") this.#rebalance(member);
    this.#endJoin();
  }

  /** Calls `onAssigned` with the partitions of this member once they are decided; false: it must rejoin. */
  sync(member: string, generation: number, onAssigned: (partitions: number[]) => void): boolean {
    if (!this.#members.has(member) || generation !== this.#generation || this.#phase === "joining")
      return false;
    if (this.#phase === "syncing") {
      const { random, events } = this.#parts;
      const stays = this.holder !== undefined && random.next() < 0.5;
      const member = stays ? this.holder!.member : random.pick([...this.#members.keys()]);
      if (this.holder?.member !== member) this.holder = { member, since: events.now };
      this.#phase = "stable";
    }
    this.#renewSession(member);
    onAssigned(this.holder?.member === member ? [0] : []);
    return true;
  }

  heartbeat(member: string, generation: number): "ok" | "rebalancing" | "unknown" {
    if (!this.#members.has(member) || generation !== this.#generation) return "unknown";
    this.#renewSession(member);
    return this.#phase === "joining" ? "rebalancing" : "ok";
  }

  commit(member: string, generation: number, offset: number): boolean {
    if (!this.#members.has(member) || generation !== this.#generation || this.#phase === "syncing")
      return false;
    this.#parts.onCommit(offset);
    this.committed = offset;
    return true;
  }

  leave(member: string): void {
    if (!this.#members.delete(member)) return;
    if (this.holder?.member === member) this.holder = undefined;
    if (this.#phase === "joining") this.#endJoin();
    else this.#rebalance();
  }

  #renewSession(member: string): void {
    const { events, sessionMs } = this.#parts;
    const state = this.#members.get(member)!;
    state.heardAt = events.now;
    events.after(sessionMs, () => {
      const isSilent = this.#members.get(member) === state && events.now - state.heardAt >= sessionMs;
      if (isSilent && state.onJoined === undefined) this.leave(member);
    });
  }

  /** `first`: the member whose join has begun it. */
  #rebalance(first?: string): void {
    this.#phase = "joining";
    for (const [name, member] of this.#members) if (name !== first) member.onJoined = undefined;
    const generation = this.#generation;
    this.#parts.events.after(2 * this.#parts.sessionMs, () => {
      if (this.#phase !== "joining" || this.#generation !== generation) return;
      for (const [name, member] of this.#members) {
        if (member.onJoined !== undefined) continue;
        this.#members.delete(name);
        if (this.holder?.member === name) this.holder = undefined;
      }
      this.#endJoin();
    });
  }

  #endJoin(): void {
    const joined = [...this.#members].filter(([, member]) => member.onJoined !== undefined);
    if (this.#phase !== "joining" || joined.length < this.#members.size || joined.length === 0) return;
    this.#phase = "syncing";
    this.#generation++;
    for (const [name, member] of joined) {
      const { onJoined } = member;
      member.onJoined = undefined;
      this.#renewSession(name);
      onJoined!(name, this.#generation);
    }
  }
}

/** Messages of one fetch: few, so that rebalances come in the middle of a backlog. */
const fetchedMax = 20;

/** `onJoined`: its join waits for the others. */
type Member = { heardAt: number; onJoined: ((member: string, generation: number) => void) | undefined };

type KafkaParts = {
  events: EventQueue;
  random: Random;
  sessionMs: number;
  onCommit(offset: number): void;
};
