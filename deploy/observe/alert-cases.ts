// Used by alerts.live.test.ts alone.

/** How many minutes each series has, one value a minute, and when the alerts are looked at. */
const minutes = 100;
export const evaluatedAtMinutes = 94;

const startTime = 'process_start_time_seconds{job="faceline", instance="inference-1"}';
const failures =
  'faceline_background_failures_total{job="faceline", instance="ingress-1", work="redis_ping"}';
const precision = 'faceline_precision_fallback{job="faceline", instance="inference-1", model="ssd"}';

/**
 * Series of a service that is well and busy: 100 calls a second, of which 1 in 6,000 is refused and 1 in 200
 * slow; clients err, a worker was restarted twice, and background work fails now and then.
 */
export const healthySeries: Series = {
  [calls("ok")]: rising(6_000),
  [calls("invalid_image")]: rising(600),
  [calls("queue_full")]: rising(1),
  [calls("upstream_failed")]: rising(0),
  [durations("count")]: rising(6_000),
  [durations("bucket", ', le="1"')]: rising(5_970),
  [batcher(1)]: steady(1),
  [batcher(2)]: steady(0),
  [ofLane("faceline_workers")]: steady(2),
  [ofLane("faceline_queue_age_seconds")]: steady(0.4),
  [ofLane("faceline_run_model_alpha_seconds")]: steady(0.04),
  [ofLane("faceline_run_model_beta_seconds")]: steady(0.02),
  [ofLane("faceline_run_model_residual_seconds")]: steady(0.006),
  'redis_memory_used_bytes{job="faceline", instance="ingress-1"}': steady(6e8),
  'redis_memory_max_bytes{job="faceline", instance="ingress-1"}': steady(1e9),
  // Of an exporter of a cache that may be full.
  'redis_memory_used_bytes{job="redis", instance="cache"}': steady(1e9),
  [startTime]: `1000x${minutes / 4} 1500x${minutes / 4} 1600x${minutes / 2}`,
  'process_start_time_seconds{job="cron", instance="minutely"}': rising(60),
  'faceline_dead_letters_total{job="faceline", instance="batcher-1"}': steady(3),
  [failures]: rising(1),
  [precision]: steady(0),
  'faceline_batches_total{job="faceline", instance="batcher-1", reason="full"}': rising(2_000),
};

/**
 * One fault for each alert: the series that change, and the labels, beside the name, of the alerts that fire.
 */
export const faults: Record<string, Fault> = {
  FacelineErrorBudgetBurn: {
    // 1.6 % of the calls, as much as a page needs.
    series: { [calls("upstream_failed")]: rising(97) },
    firing: allBurnAlerts(),
  },
  FacelineLatencyBudgetBurn: {
    series: { [durations("bucket", ', le="1"')]: rising(5_000) },
    firing: allBurnAlerts(),
  },
  FacelineNoIngress: {
    series: {
      ...gone(calls("ok")),
      ...gone(calls("invalid_image")),
      ...gone(calls("queue_full")),
      ...gone(calls("upstream_failed")),
    },
    firing: [{ severity: "page" }],
  },
  FacelineNoBatcher: {
    series: { [batcher(1)]: steady(0) },
    firing: [{ severity: "page" }],
  },
  FacelineNoWorkers: {
    series: { [ofLane("faceline_workers")]: steady(0) },
    firing: [{ severity: "page", lane: "Dlib/ssd" }],
  },
  FacelineQueueOld: {
    series: { [ofLane("faceline_queue_age_seconds")]: steady(20) },
    firing: [{ severity: "page", lane: "Dlib/ssd" }],
  },
  FacelineRedisNearlyFull: {
    series: { 'redis_memory_used_bytes{job="faceline", instance="ingress-1"}': steady(9.5e8) },
    firing: [{ severity: "page" }],
  },
  FacelineProcessRestarts: {
    // Every third minute.
    series: {
      [startTime]: Array.from({ length: minutes }, (_, minute) => 1_000 + Math.floor(minute / 3)).join(" "),
    },
    firing: [{ severity: "ticket", instance: "inference-1" }],
  },
  FacelineDeadLetters: {
    series: {
      'faceline_dead_letters_total{job="faceline", instance="batcher-1"}': `3x${evaluatedAtMinutes - 5} 4x60`,
    },
    firing: [{ severity: "ticket" }],
  },
  FacelineBackgroundFailures: {
    series: { [failures]: rising(3) },
    firing: [{ severity: "ticket", work: "redis_ping" }],
  },
  FacelinePrecisionFallback: {
    series: { [precision]: steady(1) },
    firing: [{ severity: "ticket", model: "ssd" }],
  },
  FacelineRunTimeModelWrong: {
    series: { [ofLane("faceline_run_model_residual_seconds")]: steady(0.05) },
    firing: [{ severity: "ticket", lane: "Dlib/ssd" }],
  },
  FacelineMetricsOverflow: {
    series: {
      'faceline_batches_total{job="faceline", instance="batcher-1", otel_metric_overflow="true"}': rising(1),
    },
    firing: [{ severity: "ticket" }],
  },
};

/** Faults for which fewer alerts may fire, or none. */
export const milderFaults: Record<string, Fault & { alert: string }> = {
  "a burst of errors is over: nobody is paged any more, and tickets for what it cost stay": {
    alert: "FacelineErrorBudgetBurn",
    // Five minutes of 10 %, more than an hour ago.
    series: { [calls("upstream_failed")]: `0x19 0+600x5 3000x${minutes}` },
    firing: [
      { severity: "ticket", window: "1d" },
      { severity: "ticket", window: "3d" },
    ],
  },
  "a single failure at night pages nobody": {
    alert: "FacelineErrorBudgetBurn",
    series: {
      [calls("ok")]: `0x${evaluatedAtMinutes - 3} 0+1x60`,
      [calls("queue_full")]: steady(0),
      [calls("upstream_failed")]: `0x${evaluatedAtMinutes - 2} 1x60`,
    },
    firing: [],
  },
  "mistakes of clients do not use the budget": {
    alert: "FacelineErrorBudgetBurn",
    series: { [calls("invalid_image")]: rising(60_000) },
    firing: [],
  },
  "without calls there is no share of bad ones": {
    alert: "FacelineLatencyBudgetBurn",
    series: { [durations("count")]: steady(0), [durations("bucket", ', le="1"')]: steady(0) },
    firing: [],
  },
  "no worker has ever come": {
    alert: "FacelineNoWorkers",
    series: gone(ofLane("faceline_workers")),
    firing: [{ severity: "page" }],
  },
  "no batcher can be seen": {
    alert: "FacelineNoBatcher",
    series: { ...gone(batcher(1)), ...gone(batcher(2)) },
    firing: [{ severity: "page" }],
  },
};

function calls(outcome: string): string {
  return `faceline_requests_total{job="faceline", instance="ingress-1", http_route="/verify", outcome="${outcome}"}`;
}

function durations(suffix: "count" | "bucket", le = ""): string {
  const labels = 'http_route="/verify", http_response_status_code="200"';
  return `http_server_request_duration_seconds_${suffix}{job="faceline", instance="ingress-1", ${labels}${le}}`;
}

function batcher(number: number): string {
  return `faceline_batcher_active{job="faceline", instance="batcher-${number}"}`;
}

function ofLane(name: string): string {
  return `${name}{job="faceline", instance="batcher-1", lane="Dlib/ssd"}`;
}

function allBurnAlerts(): Labels[] {
  return [
    { severity: "page", window: "1h" },
    { severity: "page", window: "6h" },
    { severity: "ticket", window: "1d" },
    { severity: "ticket", window: "3d" },
  ];
}

/** A counter, a gauge, and a series without values, in the notation of promtool. */
function rising(perMinute: number): string {
  return `0+${perMinute}x${minutes}`;
}
function steady(value: number): string {
  return `${value}x${minutes}`;
}
function gone(series: string): Series {
  return { [series]: `_x${minutes}` };
}

type Series = Record<string, string>;
type Labels = Record<string, string>;
type Fault = { series: Series; firing: Labels[] };
