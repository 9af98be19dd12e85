import { ofActive, ofFaceline, ofInstance, ofLane, ofTeams, quantileOf, rateOf } from "./expressions.ts";
import type { Page } from "./panel.ts";

export const capacityPage: Page = {
  name: "capacity",
  title: "What is near its limit?",
  rows: [
    {
      title: "At a glance",
      panels: [
        {
          kind: "figure",
          title: "Active batchers",
          runbook: "FacelineNoBatcher",
          question: "Does a batcher hold the tasks? One for each pool; the others stand by.",
          unit: "number",
          expr: "sum(faceline_batcher_active)",
          thresholds: { warnAt: 0.5, alarmAt: 0.5 },
        },
        {
          kind: "figure",
          title: "Batchers that stand by",
          question: "Is there another one, should the active batcher die?",
          unit: "number",
          expr: "count(faceline_batcher_active == 0) or vector(0)",
        },
        {
          kind: "figure",
          title: "Restarts in the last hour",
          runbook: "FacelineProcessRestarts",
          question: "Did processes die? The log of the launcher says which, and with what.",
          unit: "number",
          expr: `sum(changes(process_start_time_seconds{${ofInstance}}[1h]))`,
          thresholds: { warnAt: 1, alarmAt: 5 },
        },
        {
          kind: "figure",
          title: "Redis memory",
          runbook: "FacelineRedisNearlyFull",
          question: "How full is the volatile Redis? At its maximum it refuses images, and calls get a 503.",
          unit: "share",
          expr: `max(redis_memory_used_bytes{${ofFaceline}}) / max(redis_memory_max_bytes{${ofFaceline}})`,
          thresholds: { warnAt: 0.7, alarmAt: 0.9 },
        },
        {
          kind: "figure",
          title: "Models in float",
          runbook: "FacelinePrecisionFallback",
          question: "Does a worker run a model slower, because int8 is not accurate on its CPU?",
          unit: "number",
          expr: "max(sum by (instance) (faceline_precision_fallback))",
          thresholds: { warnAt: 1, alarmAt: 3 },
        },
        {
          kind: "figure",
          title: "Metrics over their bound",
          runbook: "FacelineMetricsOverflow",
          question:
            "Has a metric more combinations of labels than it may have? Then some are counted together, and " +
            "panels by label are incomplete.",
          unit: "number",
          expr: `count({otel_metric_overflow="true", ${ofFaceline}}) or vector(0)`,
          thresholds: { warnAt: 1, alarmAt: 10 },
        },
      ],
    },
    {
      title: "Bounds of the ingress and of the queue",
      panels: [
        {
          kind: "lines",
          title: "Share of each bound in use",
          question:
            "What is nearly full? Above its bound, bodies, images and tasks are refused with queue_full, and " +
            "connections without a request are closed.",
          unit: "share",
          queries: [
            { expr: "max(faceline_bodies_used_bytes / faceline_bodies_max_bytes)", legend: "bodies" },
            { expr: "max(faceline_images_used_bytes / faceline_images_max_bytes)", legend: "images" },
            { expr: "max(faceline_connections_used / faceline_connections_max)", legend: "connections" },
            {
              expr: `max(faceline_queue_tasks{${ofTeams}} / faceline_queue_tasks_max{${ofTeams}})`,
              legend: "waiting tasks of teams",
            },
          ],
          thresholds: { warnAt: 0.7, alarmAt: 0.9 },
        },
        {
          kind: "lines",
          title: "Connections that were closed",
          question:
            "Do clients send or read too slowly, or does somebody open more connections than there is room for?",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_connections_closed_total", "reason"), legend: "{{reason}}" }],
        },
        {
          kind: "lines",
          title: "Calls that are missing from the usage of teams",
          question:
            "Are counted calls written to the durable Redis? Unwritten ones are there a few seconds later, " +
            "unless the server is away; lost ones had no room in memory.",
          unit: "number",
          queries: [
            { expr: "sum(faceline_usage_unwritten)", legend: "not written yet" },
            { expr: "sum(faceline_usage_lost_total)", legend: "lost" },
          ],
        },
      ],
    },
    {
      title: "Workers",
      panels: [
        {
          kind: "lines",
          title: "Workers in service, by lane",
          runbook: "FacelineNoWorkers",
          question: "How many workers can be sent batches? One that hangs or starts is not among them.",
          unit: "number",
          queries: [{ expr: `sum by (lane) (${ofActive("faceline_workers", ofLane)})`, legend: "{{lane}}" }],
        },
        {
          kind: "lines",
          title: "Workers needed",
          question:
            "How many workers do the calls of the last five minutes need at UTILISATION_TARGET? An autoscaler " +
            "follows it.",
          unit: "number",
          queries: [{ expr: "max(faceline_workers_needed)", legend: "needed" }],
        },
        {
          kind: "lines",
          title: "Utilisation, by worker",
          question: "Which share of its time does each worker run models?",
          unit: "share",
          queries: [
            {
              expr: rateOf("faceline_run_duration_seconds_sum", "instance", ofInstance),
              legend: "{{instance}}",
            },
          ],
          thresholds: { warnAt: 0.85, alarmAt: 0.95 },
        },
        {
          kind: "lines",
          title: "Tasks that run",
          question: "What is each worker running now?",
          unit: "number",
          queries: [
            { expr: `sum by (instance) (faceline_run_tasks{${ofInstance}})`, legend: "{{instance}}" },
          ],
        },
        {
          kind: "stacked",
          title: "Batches that failed",
          question: "Do runs or preparations fail? Their tasks are tried again, in smaller parts.",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_runs_failed_total", "lane", ofLane), legend: "{{lane}}" }],
        },
      ],
    },
    {
      title: "Processes",
      panels: [
        {
          kind: "lines",
          title: "Event loop delay, p99",
          question:
            "Does something block a process? All that it does waits as long. In an ingress that is mostly " +
            "the parsing of large bodies, in a worker too little CPU.",
          unit: "s",
          queries: [
            {
              expr: `max by (instance) (nodejs_eventloop_delay_p99_seconds{${ofInstance}})`,
              legend: "{{instance}}",
            },
          ],
          thresholds: { warnAt: 0.05, alarmAt: 0.25 },
        },
        {
          kind: "lines",
          title: "Event loop delay, median and maximum",
          question: "Is a process slow all the time, or stopped for an instant?",
          unit: "s",
          queries: [
            {
              expr: `max by (instance) (nodejs_eventloop_delay_p50_seconds{${ofInstance}})`,
              legend: "{{instance}} median",
            },
            {
              expr: `max by (instance) (nodejs_eventloop_delay_max_seconds{${ofInstance}})`,
              legend: "{{instance}} maximum",
            },
          ],
        },
        {
          kind: "lines",
          title: "Memory",
          question: "Does a process grow?",
          unit: "bytes",
          queries: [
            {
              expr: `max by (instance) (process_memory_resident_bytes{${ofInstance}})`,
              legend: "{{instance}}",
            },
          ],
        },
      ],
    },
    {
      title: "Redis and Kafka",
      panels: [
        {
          kind: "lines",
          title: "Memory of the volatile Redis",
          question: "How much do images and answers take, and how much may they?",
          unit: "bytes",
          queries: [
            { expr: `max(redis_memory_used_bytes{${ofFaceline}})`, legend: "used" },
            { expr: `max(redis_memory_max_bytes{${ofFaceline}})`, legend: "maximum" },
          ],
        },
        {
          kind: "lines",
          title: "Kafka lag",
          question:
            "How many messages have tasks that have not ended? It follows the queue; if it grows while the " +
            "queue is empty, the batcher does not keep up.",
          unit: "number",
          queries: [{ expr: `sum(${ofActive("faceline_kafka_lag")})`, legend: "messages" }],
        },
        {
          kind: "lines",
          title: "Batches on their way, by partition",
          question:
            "Which worker does not receive what it is sent? Each has a partition, and receives within " +
            "milliseconds; a batch that stays here is lost after 2 s, and its tasks go to another worker.",
          unit: "number",
          queries: [
            {
              expr: `sum by (partition) (${ofActive("faceline_batches_unreceived")}) > 0`,
              legend: "{{partition}}",
            },
          ],
          emptyWhenWell: true,
        },
        {
          kind: "lines",
          title: "Commands of Redis, p99",
          question: "Is a Redis slow, or the network to it?",
          unit: "s",
          queries: [
            {
              expr: quantileOf(0.99, "db_client_operation_duration_seconds", "db_operation_name", ofFaceline),
              legend: "{{db_operation_name}}",
            },
          ],
        },
      ],
    },
    {
      title: "What fails without a caller noticing",
      panels: [
        {
          kind: "stacked",
          title: "Background failures, by work",
          runbook: "FacelineBackgroundFailures",
          question:
            "Which background work failed? One failure harms no call; work that fails again and again is a reason to look.",
          unit: "perSecond",
          queries: [
            { expr: `${rateOf("faceline_background_failures_total", "work")} > 0`, legend: "{{work}}" },
          ],
          emptyWhenWell: true,
        },
        {
          kind: "stacked",
          title: "Dead letters",
          runbook: "FacelineDeadLetters",
          question:
            "Were there messages that could not be read, or tasks that failed? The dead letters topic has " +
            "their ids and reasons.",
          unit: "perSecond",
          queries: [
            { expr: "sum(rate(faceline_dead_letters_total[$__rate_interval]))", legend: "dead letters" },
          ],
        },
        {
          kind: "stacked",
          title: "Lost spans",
          question:
            "Are traces incomplete, because the receiver of spans fails or is too slow? Calls do not wait for it.",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_spans_lost_total", "instance"), legend: "{{instance}}" }],
        },
      ],
    },
  ],
};
