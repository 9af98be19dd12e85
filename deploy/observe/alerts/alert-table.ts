import { limits } from "./objectives.ts";

/**
 * Alerts beside those of the error budgets: what callers are about to notice, and what nobody would notice
 * otherwise. Each has an entry of its name in the runbook, deploy/OPERATING.md.
 */
export const symptoms: Alert[] = [
  {
    name: "FacelineNoIngress",
    severity: "page",
    forMinutes: 1,
    // Without an ingress no call is counted, and so no budget is used.
    expr: () => "absent(faceline_requests_total)",
    summary: "No ingress can be seen: nobody takes calls.",
  },
  {
    name: "FacelineNoBatcher",
    severity: "page",
    forMinutes: 1,
    expr: () => "sum(faceline_batcher_active) < 1 or absent(faceline_batcher_active)",
    summary: "No batcher holds the tasks of a pool: calls wait until their deadline.",
  },
  {
    name: "FacelineNoWorkers",
    severity: "page",
    forMinutes: 1,
    expr: () =>
      "sum by (lane) (faceline_workers) < 1 or (absent(faceline_workers) and sum(faceline_batcher_active) >= 1)",
    summary: "No worker is in service for {{ $labels.lane }}: its calls are refused.",
  },
  {
    name: "FacelineQueueOld",
    severity: "page",
    forMinutes: 1,
    expr: () => `max by (lane) (faceline_queue_age_seconds) > ${limits.queueAgeSeconds}`,
    summary: "Tasks of {{ $labels.lane }} wait for half of the default deadline.",
  },
  {
    name: "FacelineRedisNearlyFull",
    severity: "page",
    forMinutes: 5,
    expr: () =>
      `max(redis_memory_used_bytes{${ofFaceline}}) / max(redis_memory_max_bytes{${ofFaceline}}) > ${limits.redisMemoryShare}`,
    summary: "The volatile Redis is nearly full; when it is full it refuses images, and all calls with them.",
  },
  {
    name: "FacelineProcessRestarts",
    severity: "ticket",
    forMinutes: 0,
    expr: (window) =>
      `max by (instance) (changes(process_start_time_seconds{${ofFaceline}}[${window(limits.countedMinutes)}])) >= ${limits.restartsMin}`,
    summary: "The process {{ $labels.instance }} dies again and again.",
  },
  {
    name: "FacelineDeadLetters",
    severity: "ticket",
    forMinutes: 0,
    expr: (window) => `sum(increase(faceline_dead_letters_total[${window(limits.countedMinutes)}])) > 0`,
    summary: "Messages could not be read, or tasks failed, and were recorded as dead letters.",
  },
  {
    name: "FacelineBackgroundFailures",
    severity: "ticket",
    forMinutes: 0,
    expr: (window) =>
      `sum by (work) (increase(faceline_background_failures_total[${window(limits.countedMinutes)}])) >= ${limits.backgroundFailuresMin}`,
    summary: "The background work {{ $labels.work }} keeps failing.",
  },
  {
    name: "FacelinePrecisionFallback",
    severity: "ticket",
    forMinutes: 15,
    expr: () => "max by (model) (faceline_precision_fallback) > 0",
    summary: "A worker runs {{ $labels.model }} in float, three times slower than in int8.",
  },
  {
    name: "FacelineRunTimeModelWrong",
    severity: "ticket",
    forMinutes: 15,
    expr: () =>
      `max by (lane) (faceline_run_model_residual_seconds / (faceline_run_model_alpha_seconds + faceline_run_model_beta_seconds)) > ${limits.residualShare}`,
    summary:
      "Runs of {{ $labels.lane }} take other times than learned, so calls are refused or late without need.",
  },
  {
    name: "FacelineMetricsOverflow",
    severity: "ticket",
    forMinutes: 15,
    expr: () => `count({otel_metric_overflow="true", ${ofFaceline}}) > 0`,
    summary: "A metric has more combinations of labels than it may have; the rest is counted together.",
  },
];

/** Other programs have series of these names too, so the job of Faceline's targets begins with its name. */
const ofFaceline = 'job=~"faceline.*"';

type Alert = {
  name: string;
  /** `page`: callers suffer, or soon will. `ticket`: it can wait for the morning. */
  severity: "page" | "ticket";
  /** For how long the expression must hold. */
  forMinutes: number;
  /** `window` returns so many minutes as a duration of Prometheus. */
  expr(window: (minutes: number) => string): string;
  /** One sentence; Prometheus fills in labels of the series. */
  summary: string;
};
