import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, capacityReached } from "../call/api-error.ts";
import type { Ports } from "../call/ports.ts";

/**
 * Refuses a call before its body is read, if a call of the same team with no more bytes was refused within
 * the last second because the team has too much in flight already (`queue_full`). To parse, decode and store
 * the images of a call that will be refused costs this process more than anything else, and a team that
 * ignores Retry-After could keep it busy with that. Retry-After is a second at least, so a team that keeps to
 * it does not notice; nor does a smaller call, which may fit where a larger one did not.
 */
export class RecentRefusals {
  readonly #clock: Ports["clock"];
  /** By team, the earliest first. */
  readonly #refused = new Map<string, { bytes: number; until: number }>();

  constructor({ clock }: Pick<Ports, "clock">) {
    this.#clock = clock;
  }

  addTo(app: FastifyInstance): void {
    app.addHook("preParsing", async (request) => {
      const now = this.#clock.now();
      this.#forget(now);
      const recent = this.#refused.get(request.requestContext!.tenant);
      if (recent !== undefined && bodyBytes(request) >= recent.bytes) {
        throw capacityReached("Too many calls of the team are waiting; try again when Retry-After is over.");
      }
    });
  }

  /** Remembers an error with which a call has ended after its body was read. */
  note(request: FastifyRequest, error: unknown): void {
    if (!(error instanceof ApiError) || error.code !== "queue_full") return;
    const { tenant } = request.requestContext!;
    const bytes = Math.min(bodyBytes(request), this.#refused.get(tenant)?.bytes ?? Number.POSITIVE_INFINITY);
    this.#refused.delete(tenant);
    this.#refused.set(tenant, { bytes, until: this.#clock.now() + rememberedMs });
  }

  #forget(now: number): void {
    for (const [team, { until }] of this.#refused) {
      if (until > now) return;
      this.#refused.delete(team);
    }
  }
}

/** Not longer than the least Retry-After of a 503. */
const rememberedMs = 1_000;

/** What Content-Length says. A body without one may have any size. */
const bodyBytes = ({ headers }: FastifyRequest): number =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY);
