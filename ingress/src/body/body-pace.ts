import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Reads bodies no faster than their team may send: TEAM_BODY_BYTES_PER_SECOND, or the team's own limit, for
 * all its requests together, and a second's bytes at once. While a team is above it, its connections are not
 * read, and TCP slows the client down. To parse, decode and store a body takes time in proportion to its
 * bytes, so this bounds the share of the process that one team can take, however few its requests are.
 * Requests that are refused before their body, or have no valid key, count as one team.
 */
export class BodyPace {
  readonly #defaultBytesPerSecond: number;
  /** The instant at which all bytes of a team are paid for; the team that sent last is at the end. */
  readonly #paidAt = new Map<string, number>();

  constructor(settings: { TEAM_BODY_BYTES_PER_SECOND: number }) {
    this.#defaultBytesPerSecond = settings.TEAM_BODY_BYTES_PER_SECOND;
  }

  /** Reads a body to its end. `receive` gets each piece. */
  read({ bodySender }: FastifyRequest, payload: Readable, receive: (piece: Buffer) => void): void {
    const { team, bytesPerSecond } = bodySender ?? { team: "", bytesPerSecond: this.#defaultBytesPerSecond };
    payload.on("data", (piece: Buffer) => {
      receive(piece);
      if (bytesPerSecond === 0) return;
      const waitMs = this.#pay(team, (piece.length * 1_000) / bytesPerSecond);
      if (waitMs <= 0) return;
      payload.pause();
      setTimeout(() => payload.resume(), waitMs).unref();
    });
    payload.resume();
  }

  /** Returns after how many ms the team may send more. */
  #pay(team: string, ms: number): number {
    const now = performance.now();
    const paidAt = Math.max(this.#paidAt.get(team) ?? 0, now - burstMs) + ms;
    this.#paidAt.delete(team);
    this.#paidAt.set(team, paidAt);
    const [oldest] = this.#paidAt.keys();
    if (this.#paidAt.size > teamsMax) this.#paidAt.delete(oldest!);
    return paidAt - now;
  }
}

/** Burst of a team: the bytes of a second. */
const burstMs = 1_000;
/** The team that has sent nothing for longest is forgotten, and may send a burst. */
const teamsMax = 10_000;

/**
 * Discards the bodies of calls that are answered before anything was read of them, at the pace of their team.
 * Node would read them as fast as they arrive, so a team whose calls are refused could still keep this
 * process busy. To close the connection instead would cost clients the answer that send a body whole before
 * they read.
 */
export function discardUnreadBodies(app: FastifyInstance, pace: BodyPace): void {
  app.addHook("onSend", async (request) => {
    const { raw } = request;
    if (raw.readableFlowing === null && !raw.complete) pace.read(request, raw, () => {});
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** Whose limit the bytes of the body count against. Set for compute calls that are let in. */
    bodySender?: { team: string; bytesPerSecond: number };
  }
}
