import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";

/** All numbers of the alerts, with their units. Change them here, and run `npm run fix`. */
export const limits = {
  /** Share of calls that the service does not fail or refuse for its own reasons. */
  availabilityShare: 0.999,
  /** Share of calls that are answered, or left by their client, within `latencySeconds`. */
  latencyShare: 0.99,
  /** A boundary of the buckets of `http.server.request.duration`. */
  latencySeconds: 1,
  /** The period that the error budget, 1 less the share, is for. */
  budgetDays: 30,
  /** Fewer bad calls than this in the long window of an alert are no reason to call anybody. */
  badCallsMin: 10,
  /** Half of DEADLINE_DEFAULT_MS: a healthy lane refuses calls long before. */
  queueAgeSeconds: 15,
  /** Of the volatile Redis. At 1 it refuses images. */
  redisMemoryShare: 0.9,
  /** Restarts of one process in `countedMinutes`. */
  restartsMin: 3,
  /** Failures of one kind of background work in `countedMinutes`. */
  backgroundFailuresMin: 30,
  /** Mean error of the learned run time, by the time of a run of one picture. */
  residualShare: 0.5,
  countedMinutes: 15,
} as const;

/**
 * How much faster than allowed the budget is used, over a long window and still over a short one: the table
 * of "The Site Reliability Workbook", chapter 5. `factor` × the long window / 30 days of the budget is then
 * gone: 2 %, 5 %, 10 % and 10 %.
 */
export const burnRates = [
  { factor: 14.4, longMinutes: 60, shortMinutes: 5, severity: "page" },
  { factor: 6, longMinutes: 6 * 60, shortMinutes: 30, severity: "page" },
  { factor: 3, longMinutes: 24 * 60, shortMinutes: 2 * 60, severity: "ticket" },
  { factor: 1, longMinutes: 3 * 24 * 60, shortMinutes: 6 * 60, severity: "ticket" },
] as const;

/** The routes that need a worker, or may. */
export const computeRoutes = ["/verify", "/represent", "/compare"];

/** Outcomes that are the service's fault. What a client or a team's limit is the reason of has a 4xx. */
const faults = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code].status >= 500);

const ofCompute = `http_route=~"${computeRoutes.join("|")}"`;
const rate = (series: string, matcher: string, window: string): string =>
  `sum(rate(${series}{${ofCompute}, ${matcher}}[${window}]))`;

const duration = "http_server_request_duration_seconds";
const answeredOrLeft = 'http_response_status_code=~"200|499"';
const answered = (window: string) => rate(`${duration}_count`, answeredOrLeft, window);
// Prometheus 3 writes whole numbers as 1.0.
const withinLatency = `${answeredOrLeft}, le=~"${limits.latencySeconds}|${limits.latencySeconds}.0"`;

/** What is promised to callers. Calls at fault themselves are neither good nor bad. */
export const objectives: Objective[] = [
  {
    name: "availability",
    alert: "FacelineErrorBudgetBurn",
    share: limits.availabilityShare,
    bad: (window) => rate("faceline_requests_total", `outcome=~"${faults.join("|")}"`, window),
    all: (window) => rate("faceline_requests_total", `outcome=~"ok|${faults.join("|")}"`, window),
    summary: "Calls fail or are refused, and the error budget of 30 days is used too fast.",
  },
  {
    name: "latency",
    alert: "FacelineLatencyBudgetBurn",
    share: limits.latencyShare,
    bad: (window) => `(${answered(window)} - ${rate(`${duration}_bucket`, withinLatency, window)})`,
    all: answered,
    summary: `Too many calls take longer than ${limits.latencySeconds} s.`,
  },
];

export type Objective = {
  name: string;
  alert: string;
  /** Of good calls. */
  share: number;
  /** Bad calls, and all that count, per second; `window` is a duration of Prometheus. */
  bad(window: string): string;
  all(window: string): string;
  summary: string;
};
