import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { BytePace, type PacedChunk } from "../limits/byte-pace.ts";

/**
 * Reads bodies at the pace of their team: TEAM_BODY_BYTES_PER_SECOND, or the team's own limit, for all its
 * calls together. Calls without a valid key count as one team.
 */
export class BodyPace {
  readonly #defaultBytesPerSecond: number;
  readonly #teams = new Map<string, PacedTeam>();
  #bodies = 0;

  constructor(settings: { TEAM_BODY_BYTES_PER_SECOND: number }) {
    this.#defaultBytesPerSecond = settings.TEAM_BODY_BYTES_PER_SECOND;
  }

  /** Begins a body. A body whose team has no limit passes at once. */
  begin({ bodySender }: FastifyRequest): PacedBody {
    const { team, bytesPerSecond } = bodySender ?? { team: "", bytesPerSecond: this.#defaultBytesPerSecond };
    if (bytesPerSecond === 0) return { pass: (_bytes, go) => go(), end() {} };
    const body = ++this.#bodies;
    let waiting: Chunk | undefined;
    return {
      pass: (bytes, go) => {
        waiting = { body, bytes, go };
        this.#team(team, bytesPerSecond).push(waiting);
      },
      end: () => {
        if (waiting !== undefined) this.#teams.get(team)?.remove(waiting);
      },
    };
  }

  /** Reads and drops the rest of a body that nobody needs any longer. */
  discard(request: FastifyRequest, payload: Readable): void {
    const body = this.begin(request);
    payload.on("data", (chunk: Buffer) => {
      payload.pause();
      body.pass(chunk.length, () => payload.resume());
    });
    payload.once("close", body.end);
    payload.resume();
  }

  #team(team: string, bytesPerSecond: number): PacedTeam {
    const existing = this.#teams.get(team);
    if (existing !== undefined) return existing;
    const paced = new PacedTeam(bytesPerSecond, () => this.#teams.delete(team));
    this.#teams.set(team, paced);
    return paced;
  }
}

/** The waiting chunks of one team, and the timer that passes them on. */
class PacedTeam {
  readonly #pace: BytePace<Chunk>;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(bytesPerSecond: number, onIdle: () => void) {
    this.#pace = new BytePace(bytesPerSecond);
    this.#onIdle = onIdle;
  }

  push(chunk: Chunk): void {
    this.#pace.push(chunk);
    this.#pass();
  }

  remove(chunk: Chunk): void {
    this.#pace.remove(chunk);
  }

  #pass(): void {
    const { chunks, nextInMs } = this.#pace.pass(performance.now());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#next(), nextInMs ?? idleCheckMs).unref();
    for (const { go } of chunks) go();
  }

  #next(): void {
    if (this.#pace.isIdle(performance.now())) this.#onIdle();
    else this.#pass();
  }
}

/** How soon a team that sends nothing is forgotten. A changed limit takes effect then. */
const idleCheckMs = 1_000;

/**
 * Discards the bodies of requests that are answered before anything was read of them, at the pace of their
 * team. Node would read them as fast as they arrive, so a team whose requests are refused could still keep
 * this process busy. Closing the connection instead would lose the response for clients that send the whole
 * body before they read.
 */
export function discardUnreadBodies(app: FastifyInstance, pace: BodyPace): void {
  app.addHook("onSend", async (request) => {
    const { raw } = request;
    if (raw.readableFlowing === null && !raw.complete) pace.discard(request, raw);
  });
}

type Chunk = PacedChunk & { go(): void };

export type PacedBody = {
  /** Runs `go`, at once or later, when bytes that have arrived may be passed on and more may be read. */
  pass(bytes: number, go: () => void): void;
  /** The body has ended: `go` is not run for what still waits. */
  end(): void;
};

declare module "fastify" {
  interface FastifyRequest {
    /** Whose limit the bytes of the body count against. Set for compute calls with a valid key. */
    bodySender?: { team: string; bytesPerSecond: number };
  }
}
