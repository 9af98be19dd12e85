import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ApiError, capacityReached } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";
import { CallWindow } from "../limits/call-window.ts";

/**
 * Makes large calls wait, with the first bytes of their bodies read or in the middle of them, while the
 * batcher refuses calls of their team because too many wait. To read, parse and store such a body costs more
 * than the refusal that follows, and a client that ignores Retry-After would repeat that as fast as it is
 * refused. Calls that have waited for `largeCallWaitMs` are refused with `queue_full`, as the batcher would
 * refuse them. Small calls do not wait.
 */
export class LargeCalls {
  readonly #waitMs: number;
  readonly #windows = new Map<string, CallWindow>();

  constructor(waitMs = largeCallWaitMs) {
    this.#waitMs = waitMs;
  }

  /** Must be called when the first bytes of a body have arrived. */
  begin(request: FastifyRequest, reply: FastifyReply): LargeCall {
    const { tenant } = request.requestContext!;
    if (!isLarge(request.headers)) return unlimited;
    const window = this.#windows.get(tenant) ?? new CallWindow();
    this.#windows.set(tenant, window);
    const place = window.enter();
    let stopWait = () => {};
    onClose(reply, () => {
      stopWait();
      place.leave(isRefusedByBatcher(request));
      if (window.isIdle) this.#windows.delete(tenant);
    });
    let leftMs = this.#waitMs;
    return {
      pass: (go) => {
        if (place.isOpen) return go();
        const since = performance.now();
        const timer = setTimeout(() => {
          place.whenOpen(() => {});
          go(tooManyLargeCalls());
        }, leftMs);
        stopWait = () => clearTimeout(timer);
        place.whenOpen(() => {
          stopWait();
          leftMs -= performance.now() - since;
          go();
        });
      },
      complete: place.complete,
    };
  }
}

const unlimited: LargeCall = { pass: (go) => go(), complete() {} };

const isLarge = ({ "content-length": length }: IncomingHttpHeaders): boolean =>
  length === undefined || Number(length) > smallBodyBytesMax;

const isRefusedByBatcher = ({ callRecord }: FastifyRequest): boolean =>
  callRecord?.outcome?.kind === "shed" && callRecord.outcome.reason === "queue_too_long";

const tooManyLargeCalls = () =>
  capacityReached("queue_too_long", "Too many large requests of the team are waiting.");

/** The refused client may try again sooner elsewhere; a burst that passes within it costs nobody a call. */
const largeCallWaitMs = 2_000;

/** Two small images. To receive and parse them takes about as long as to refuse them. */
const smallBodyBytesMax = 256 * 1024;

export type LargeCall = {
  /**
   * Runs `go` when the bytes that have arrived may be passed on and more may be read: at once, or after a
   * wait, or with `queue_full` when the call has waited for too long.
   */
  pass(go: (error?: ApiError) => void): void;
  /** All bytes have arrived. */
  complete(): void;
};
