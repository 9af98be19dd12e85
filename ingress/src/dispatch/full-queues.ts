import type { Answer } from "@faceline/contracts/wire/answer";
import { ApiError } from "../call/api-error.ts";
import type { DispatchedCall, Ports } from "../call/ports.ts";

/**
 * Rejects large calls of a team whose queue is full before they are parsed, decoded and stored, which takes
 * time in proportion to their bytes. A call with `queue_full` says that the team has as many calls under way
 * as it may have. Until one of those has ended, a call that is no smaller and may wait no longer would be
 * refused as well: one goes on for each that ends. Small calls are left to the batcher, which alone knows
 * the queue.
 *
 *     queue_full ──► calls like it are rejected ──► a call of the team ends ──► one goes on
 *                                              └──► 1 s passes ──► all go on, until the next queue_full
 */
export class FullQueues {
  readonly #dispatch: Ports["dispatch"];
  readonly #now: () => number;
  /** Teams with calls under way. */
  readonly #teams = new Map<string, Team>();

  constructor({ dispatch, clock }: Pick<Ports, "dispatch" | "clock">) {
    this.#dispatch = dispatch;
    this.#now = () => clock.now();
  }

  /** See `Ports.dispatch`. */
  async dispatch(call: DispatchedCall): Promise<Answer[]> {
    const { tenant } = call;
    const team = this.#teams.get(tenant) ?? { underWay: 0, refused: undefined };
    this.#teams.set(tenant, team);
    team.underWay++;
    let refused: Refusal | undefined;
    try {
      return await this.#dispatch(call);
    } catch (error) {
      if (error instanceof ApiError && error.code === "queue_full") refused = this.#refusalOf(call, error);
      throw error;
    } finally {
      team.underWay--;
      if (refused !== undefined) team.refused = refused;
      else if (team.refused !== undefined) team.refused.places++;
      if (team.underWay === 0) this.#teams.delete(tenant);
    }
  }

  /** Throws `queue_full` if a call with a body of so many bytes would be refused by what is known. */
  check(call: CallFacts, bodyBytes: number): void {
    const refusal = this.#refusalFor(call, bodyBytes);
    if (refusal === undefined || refusal.places > 0) return;
    const { retryAfterMs } = refusal;
    throw new ApiError("queue_full", "Too many calls are waiting.", {
      retryAfterMs,
      shed: "queue_too_long",
    });
  }

  /** The same once the body has arrived. The call goes on in the place of one that has ended. */
  enter(call: CallFacts, bodyBytes: number): void {
    this.check(call, bodyBytes);
    const refusal = this.#refusalFor(call, bodyBytes);
    if (refusal !== undefined) refusal.places--;
  }

  /** The refusal of a call that was no larger and might have waited no less. */
  #refusalFor({ tenant, arrivedAt, deadlineAt }: CallFacts, bodyBytes: number): Refusal | undefined {
    const refusal = this.#teams.get(tenant)?.refused;
    if (refusal === undefined || this.#now() - refusal.at >= refusalValidMs) return undefined;
    const isLike = bodyBytes >= refusal.bodyBytes && deadlineAt - arrivedAt <= refusal.budgetMs;
    return isLike && bodyBytes >= bodyBytesMin ? refusal : undefined;
  }

  #refusalOf({ images, arrivedAt, deadlineAt }: DispatchedCall, { details }: ApiError): Refusal {
    const imageBytes = images.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return {
      at: this.#now(),
      bodyBytes: imageBytes * base64BytesPerByte,
      budgetMs: deadlineAt - arrivedAt,
      retryAfterMs: details.retryAfterMs ?? 0,
      places: 0,
    };
  }
}

/** To parse, decode and store less takes no longer than a few ms. */
const bodyBytesMin = 262_144;

/** Calls of this team that another ingress has under way may have ended meanwhile. */
const refusalValidMs = 1_000;

const base64BytesPerByte = 4 / 3;

type Team = {
  /** Calls that were sent to workers and have not ended. */
  underWay: number;
  /** The last refusal, while other calls are under way. */
  refused: Refusal | undefined;
};

type Refusal = {
  at: number;
  /** Of a JSON body with these images. */
  bodyBytes: number;
  budgetMs: number;
  retryAfterMs: number;
  /** Calls that have ended since, less those that went on in their place. */
  places: number;
};

type CallFacts = Pick<DispatchedCall, "tenant" | "arrivedAt" | "deadlineAt">;
