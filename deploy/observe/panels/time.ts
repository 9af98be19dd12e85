import { ofActive, ofAnonymous, ofLane, ofTeams, quantileOf } from "./expressions.ts";
import type { Page, Query } from "./panel.ts";

const answered = 'http_request_method="POST", http_response_status_code="200"';

const bothQuantiles = (histogram: string): Query[] => [
  { expr: quantileOf(0.5, histogram, "lane", ofLane), legend: "{{lane}} p50" },
  { expr: quantileOf(0.99, histogram, "lane", ofLane), legend: "{{lane}} p99" },
];

export const timePage: Page = {
  name: "time",
  title: "Where does the time go?",
  rows: [
    {
      title: "All calls together",
      panels: [
        {
          kind: "stacked",
          title: "Mean time of the parts of a task",
          question:
            "Is it waiting or working? queue: from the arrival of the call to the dispatch of its batch. " +
            "prepare, run and answer are those of the whole batch: each of its tasks waits for all of it.",
          unit: "s",
          queries: (
            [
              ["queue", "faceline_queue_duration_seconds"],
              ["prepare", "faceline_prepare_duration_seconds"],
              ["run", "faceline_run_duration_seconds"],
              ["answer", "faceline_answer_duration_seconds"],
            ] as const
          ).map(([legend, histogram]) => ({ legend, expr: overLanes(histogram) })),
        },
        {
          kind: "lines",
          title: "Latency of answered calls",
          runbook: "FacelineLatencyBudgetBurn",
          question:
            "How much of the wait is explained by the parts? Of a single call they are in Server-Timing and " +
            "in its log line, and add up to its total.",
          unit: "s",
          queries: [
            {
              expr: quantileOf(0.5, "http_server_request_duration_seconds", "", answered),
              legend: "p50",
            },
            {
              expr: quantileOf(0.99, "http_server_request_duration_seconds", "", answered),
              legend: "p99",
            },
          ],
        },
      ],
    },
    {
      title: "Waiting",
      panels: [
        {
          kind: "lines",
          title: "Queue time",
          question:
            "How long do tasks wait for their batch? If this grows and the run does not, the workers are too " +
            "few; the page on batches says whether larger ones would help.",
          unit: "s",
          queries: bothQuantiles("faceline_queue_duration_seconds"),
        },
        {
          kind: "lines",
          title: "Oldest task",
          question: "How long has the oldest task waited? It shows a jam before anything is answered.",
          runbook: "FacelineQueueOld",
          unit: "s",
          queries: [
            { expr: `max by (lane) (${ofActive("faceline_queue_age_seconds", ofLane)})`, legend: "{{lane}}" },
          ],
        },
        {
          kind: "stacked",
          title: "Tasks that wait",
          question: "How long is the queue of each lane?",
          unit: "number",
          queries: [
            {
              expr: `sum by (lane) (${ofActive("faceline_queue_tasks", `${ofTeams}, ${ofLane}`)})`,
              legend: "{{lane}}",
            },
            {
              expr: `sum by (lane) (${ofActive("faceline_queue_tasks", `${ofAnonymous}, ${ofLane}`)})`,
              legend: "{{lane}} anonymous",
            },
          ],
        },
      ],
    },
    {
      title: "Working",
      panels: [
        {
          kind: "lines",
          title: "Prepare",
          question: "How long do fetching and decoding the images of a batch take? Large pictures show here.",
          unit: "s",
          queries: bothQuantiles("faceline_prepare_duration_seconds"),
        },
        {
          kind: "lines",
          title: "Run",
          question: "How long do the models run on a batch? Per size of batch: see the page on batches.",
          unit: "s",
          queries: bothQuantiles("faceline_run_duration_seconds"),
        },
        {
          kind: "lines",
          title: "Answer",
          question: "How long does it take from the end of a run until its answers are published to Redis?",
          unit: "s",
          queries: bothQuantiles("faceline_answer_duration_seconds"),
        },
        {
          kind: "lines",
          title: "Hops, p95",
          question:
            "How long is a message on its way: a batch through Kafka (to_worker), the report of a worker " +
            "(from_worker), an answer through Redis (reply)?",
          unit: "s",
          queries: [
            { expr: `max by (hop) (${ofActive("faceline_hop_duration_seconds")})`, legend: "{{hop}}" },
          ],
          thresholds: { warnAt: 0.05, alarmAt: 0.25 },
        },
      ],
    },
  ],
};

function overLanes(histogram: string): string {
  const [sum, count] = [`${histogram}_sum`, `${histogram}_count`].map(
    (series) => `sum(rate(${series}{${ofLane}}[$__rate_interval]))`,
  );
  return `${sum} / ${count}`;
}
