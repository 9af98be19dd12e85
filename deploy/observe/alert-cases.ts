// Used by alerts.live.test.ts alone.

/** How many minutes each series has, one value a minute, and when the alerts are looked at. */
const minutes = 100;
export const evaluatedAtMinutes = 94;

const startTime = 'process_start_time_seconds{job="faceline", instance="inference-1"}';
const failures =
  'faceline_background_failures_total{job="faceline", instance="ingress-1", work="redis_ping"}';
const spansLost = 'faceline_spans_lost_total{job="faceline", instance="ingress-1"}';
const runSeconds = (worker: number, bucket?: number): string => runs("sum", worker, bucket);
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
  // The standby knows of the same workers. A rollout replaced both, one after the other.
  'faceline_workers{job="faceline", instance="batcher-2", lane="Dlib/ssd"}': "2x30 1x3 3x2 2x60",
  [runs("count", 1)]: rising(60),
  [runs("count", 2)]: rising(50),
  // The second worker is a little slower.
  [runSeconds(1)]: rising(6),
  [runSeconds(2)]: rising(6),
  // A rare size says nothing of a worker.
  [runs("count", 1, 8)]: rising(0.1),
  [runSeconds(1, 8)]: rising(0.05),
  [runs("count", 2, 8)]: rising(60),
  [runSeconds(2, 8)]: rising(12),
  'up{job="faceline", instance="inference-1"}': "1x20 0x4 1x80",
  'up{job="other", instance="elsewhere"}': steady(0),
  [dependency("kafka", "ingress-1")]: "1x20 0 1x80",
  [dependency("kafka", "ingress-2")]: steady(1),
  [dependency("redis-durable", "ingress-1")]: steady(0),
  [dependency("redis-durable", "ingress-2")]: steady(1),
  [spansLost]: `0x20 0+5x3 15x80`,
  [build("0.1.0", "inference-1")]: steady(1),
  // The rollout of ten minutes.
  [build("0.0.9", "batcher-1")]: "1x20 _x80",
  [build("0.1.0", "batcher-1")]: "_x10 1x90",
  [volume("available")]: steady(5e9),
  [volume("capacity")]: steady(10e9),
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
 * `value` is how the description shows it.
 */
export const faults: Record<string, Fault> = {
  FacelineErrorBudgetBurn: {
    // 1.6 % of the calls, as much as a page needs.
    series: { [calls("upstream_failed")]: rising(97) },
    firing: allBurnAlerts("1.607%"),
  },
  FacelineLatencyBudgetBurn: {
    series: { [durations("bucket", ', le="1"')]: rising(5_000) },
    firing: allBurnAlerts("16.67%"),
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
    // Workers that no active batcher counts.
    series: { [batcher(1)]: steady(0), [ofLane("faceline_workers")]: steady(2) },
    firing: [{ severity: "page", value: "0" }],
  },
  FacelineNoWorkers: {
    series: { [ofLane("faceline_workers")]: steady(0) },
    firing: [{ severity: "page", lane: "Dlib/ssd" }],
  },
  FacelineQueueOld: {
    series: { [ofLane("faceline_queue_age_seconds")]: steady(20) },
    firing: [{ severity: "page", lane: "Dlib/ssd", value: "20s" }],
  },
  FacelineDependencyRed: {
    series: { [dependency("redis-durable", "ingress-2")]: steady(0) },
    firing: [{ severity: "page", dependency: "redis-durable", value: "0%" }],
  },
  FacelineKafkaDisk: {
    series: { [volume("available")]: steady(0.8e9) },
    firing: [{ severity: "page", persistentvolumeclaim: "data-kafka-0", value: "8%" }],
  },
  FacelineStandbyMissing: {
    series: { [batcher(2)]: `0x60 _x${minutes}` },
    firing: [{ severity: "ticket", value: "1" }],
  },
  FacelineWorkerMissing: {
    series: { [ofLane("faceline_workers")]: `2x60 1x${minutes}` },
    firing: [{ severity: "ticket", lane: "Dlib/ssd", value: "1" }],
  },
  FacelineTargetDown: {
    series: { 'up{job="faceline", instance="inference-1"}': `1x60 0x${minutes}` },
    firing: [{ severity: "ticket", job: "faceline", instance: "inference-1", value: "0" }],
  },
  FacelineWorkerSlow: {
    series: { [runSeconds(2)]: rising(10) },
    firing: [{ severity: "ticket", instance: "inference-2", value: "2" }],
  },
  FacelineVersionSkew: {
    series: { [build("0.0.9", "batcher-1")]: steady(1) },
    firing: [{ severity: "ticket", value: "2" }],
  },
  FacelineSpansLost: {
    series: { [spansLost]: rising(5) },
    firing: [{ severity: "ticket", value: "75" }],
  },
  FacelineRedisNearlyFull: {
    series: { 'redis_memory_used_bytes{job="faceline", instance="ingress-1"}': steady(9.5e8) },
    firing: [{ severity: "page", value: "95%" }],
  },
  FacelineProcessRestarts: {
    // Every third minute.
    series: {
      [startTime]: Array.from({ length: minutes }, (_, minute) => 1_000 + Math.floor(minute / 3)).join(" "),
    },
    firing: [{ severity: "ticket", instance: "inference-1", value: "5" }],
  },
  FacelineDeadLetters: {
    series: {
      'faceline_dead_letters_total{job="faceline", instance="batcher-1"}': `3x${evaluatedAtMinutes - 5} 4x60`,
    },
    firing: [{ severity: "ticket", value: "1" }],
  },
  FacelineBackgroundFailures: {
    series: { [failures]: rising(3) },
    firing: [{ severity: "ticket", work: "redis_ping", value: "45" }],
  },
  FacelinePrecisionFallback: {
    series: { [precision]: steady(1) },
    firing: [{ severity: "ticket", model: "ssd" }],
  },
  FacelineRunTimeModelWrong: {
    series: { [ofLane("faceline_run_model_residual_seconds")]: steady(0.05) },
    firing: [{ severity: "ticket", lane: "Dlib/ssd", value: "83.33%" }],
  },
  FacelineMetricsOverflow: {
    series: {
      'faceline_batches_total{job="faceline", instance="batcher-1", otel_metric_overflow="true"}': rising(1),
    },
    firing: [{ severity: "ticket", value: "1" }],
  },
};

/** Faults for which fewer alerts may fire, or none. */
export const milderFaults: Record<string, Fault & { alert: string }> = {
  "a burst of errors is over: nobody is paged any more, and tickets for what it cost stay": {
    alert: "FacelineErrorBudgetBurn",
    // Five minutes of 10 %, more than an hour ago.
    series: { [calls("upstream_failed")]: `0x19 0+600x5 3000x${minutes}` },
    firing: [
      { severity: "ticket", window: "1d", value: "0.5456%" },
      { severity: "ticket", window: "3d", value: "0.5456%" },
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
    series: {
      ...gone(ofLane("faceline_workers")),
      ...gone('faceline_workers{job="faceline", instance="batcher-2", lane="Dlib/ssd"}'),
    },
    firing: [{ severity: "page" }],
  },
  "no batcher can be seen": {
    alert: "FacelineNoBatcher",
    series: { ...gone(batcher(1)), ...gone(batcher(2)) },
    firing: [{ severity: "page", value: "0" }],
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

function runs(suffix: "count" | "sum", worker: number, bucket = 1): string {
  const labels = `instance="inference-${worker}", lane="Dlib/ssd", bucket="${bucket}"`;
  return `faceline_run_duration_seconds_${suffix}{job="faceline", ${labels}}`;
}

function dependency(name: string, instance: string): string {
  return `faceline_dependency_up{job="faceline", instance="${instance}", dependency="${name}"}`;
}

function build(version: string, instance: string): string {
  return `faceline_build_info{job="faceline", instance="${instance}", version="${version}", revision="abc"}`;
}

function volume(what: "available" | "capacity"): string {
  return `kubelet_volume_stats_${what}_bytes{job="kubelet", persistentvolumeclaim="data-kafka-0"}`;
}

function allBurnAlerts(value: string): Labels[] {
  return [
    { severity: "page", window: "1h", value },
    { severity: "page", window: "6h", value },
    { severity: "ticket", window: "1d", value },
    { severity: "ticket", window: "3d", value },
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
