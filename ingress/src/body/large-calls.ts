import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { capacityReached } from "../call/api-error.ts";
import { onClose } from "../call/context.ts";
import { CallWindow } from "../limits/call-window.ts";

/**
 * Makes large calls wait, once the first bytes of their bodies are read, while the batcher refuses calls of
 * their team because too many wait. To read, parse and store such a body costs more than the refusal that
 * follows, and a client that ignores Retry-After would repeat that as fast as it is refused. Calls that have
 * waited for LARGE_CALL_WAIT_MS are refused with `queue_full`, as the batcher would refuse them. Small calls
 * and anonymous ones do not wait.
 */
export class LargeCalls {
  readonly #waitMs: number;
  readonly #windows = new Map<string, CallWindow>();

  constructor({ LARGE_CALL_WAIT_MS }: { LARGE_CALL_WAIT_MS: number }) {
    this.#waitMs = LARGE_CALL_WAIT_MS;
  }

  /** Resolves when the body may be read, or its call has ended. Throws `queue_full`. */
  async turn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { tenant, serviceClass } = request.requestContext!;
    if (serviceClass !== "standard" || !isLarge(request.headers)) return;
    const window = this.#windows.get(tenant) ?? new CallWindow();
    this.#windows.set(tenant, window);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = window.enter(resolve);
    const timer = setTimeout(() => reject(tooManyLargeCalls()), this.#waitMs);
    onClose(reply, () => {
      resolve();
      place.leave(isRefusedByBatcher(request));
      if (window.isIdle) this.#windows.delete(tenant);
    });
    await promise.finally(() => clearTimeout(timer));
  }
}

const isLarge = ({ "content-length": length }: IncomingHttpHeaders): boolean =>
  length === undefined || Number(length) > smallBodyBytesMax;

const isRefusedByBatcher = ({ callRecord }: FastifyRequest): boolean =>
  callRecord?.outcome?.kind === "shed" && callRecord.outcome.reason === "queue_too_long";

const tooManyLargeCalls = () =>
  capacityReached("queue_too_long", "Too many large calls of the team are waiting.");

/** Two small pictures. To receive and parse them takes about as long as to refuse them. */
const smallBodyBytesMax = 256 * 1024;
