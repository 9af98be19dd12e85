import type { Dependency } from "@faceline/contracts/http/dependency";
import type { ErrorCode } from "@faceline/contracts/http/errors";
import type { RefusalText } from "@faceline/web/accounts/refusal-page";

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

  get text(): PageText {
    return refusals[this.reason];
  }
}

/** `code`: under which metrics count it. */
const refusals = {
  foreign_form: {
    status: 403,
    code: "invalid_request",
    title: "This form came from another site",
    detail:
      "Forms of this service work only on its own pages. Nothing was changed. Open the page here and try again.",
  },
  not_found: {
    status: 404,
    code: "not_found",
    title: "There is no page at this address",
    detail: "It may have moved, or the address was mistyped.",
  },
  revoked_key: {
    status: 404,
    code: "not_found",
    title: "This key was revoked",
    detail: "Requests with it are refused, and it can no longer be changed.",
  },
  no_person: {
    status: 404,
    code: "not_found",
    title: "There is no such person",
    detail: "They were removed, or the address was mistyped. People lists everybody who may sign in.",
  },
  unreadable_form: {
    status: 400,
    code: "invalid_request",
    title: "The form could not be read",
    detail: "Nothing was changed. Go back, load the page again, and send the form once more.",
  },
  too_many_tries: {
    status: 429,
    code: "rate_limited",
    title: "Too many attempts",
    detail: "There were too many attempts in a short time, from your network or for this address.",
  },
  too_many_forms: {
    status: 429,
    code: "rate_limited",
    title: "Too many attempts",
    detail:
      "There were too many attempts in a short time, from your network or for this address. What you wrote was not sent.",
  },
  accounts_away: {
    status: 503,
    code: "dependency_unavailable",
    dependency: "redis-durable",
    title: "Signing in is not possible right now",
    detail:
      "Accounts cannot be reached right now. The tester, the documents and requests with a key still work. Nothing was changed; try again in a minute.",
  },
  proxy_unknown: {
    status: 503,
    code: "dependency_unavailable",
    title: "Signing in is not set up",
    detail:
      "PUBLIC_URL says https, and this request came over plain HTTP, so your browser would lose the session. The operator must name the proxy in TRUSTED_PROXIES, and the proxy must send X-Forwarded-Proto. Your sign-in link was not used up.",
  },
  waitlist_full: {
    status: 503,
    code: "queue_full",
    title: "The waitlist is full",
    detail:
      "Nobody can be added from your network at the moment. Try again tomorrow, or from another network.",
  },
  failed: {
    status: 500,
    code: "internal_error",
    title: "Something went wrong here",
    detail: "This is a fault of the service. Give its operator the request id below.",
  },
} as const satisfies Record<string, PageText>;

type PageText = RefusalText & { status: number; code: ErrorCode; dependency?: Dependency };

type RefusalReason = keyof typeof refusals;
