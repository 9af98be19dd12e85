import type { Dependency } from "@faceline/contracts/http/dependency";
import type { ErrorCode } from "@faceline/contracts/http/errors";
import type { Words } from "@faceline/web/words/language";

/**
 * A request of a page for people that is refused. The error handler of these pages makes it a page; the API
 * has ApiError.
 */
export class PageRefusal extends Error {
  override name = "PageRefusal";
  readonly reason: RefusalReason;
  /** Present with `too_many_tries` and `too_many_forms`. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: RefusalReason, retryAfterMs?: number) {
    super(reason);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): RefusalStatus {
    return refusals[this.reason];
  }
}

/** `code`: its name in metrics. The words are in `web/src/words`. */
const refusals: Record<RefusalReason, RefusalStatus> = {
  foreign_form: { status: 403, code: "invalid_request" },
  not_found: { status: 404, code: "not_found" },
  revoked_key: { status: 404, code: "not_found" },
  no_person: { status: 404, code: "not_found" },
  unreadable_form: { status: 400, code: "invalid_request" },
  too_many_tries: { status: 429, code: "rate_limited" },
  too_many_forms: { status: 429, code: "rate_limited" },
  accounts_away: { status: 503, code: "dependency_unavailable", dependency: "redis-durable" },
  proxy_unknown: { status: 503, code: "dependency_unavailable" },
  waitlist_full: { status: 503, code: "queue_full" },
  failed: { status: 500, code: "internal_error" },
};

type RefusalStatus = { status: number; code: ErrorCode; dependency?: Dependency };

type RefusalReason = keyof Words["refusals"];
