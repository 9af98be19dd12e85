import { ofActive, quantileOf, rateOf } from "./expressions.ts";
import type { Page } from "./panel.ts";

const calls = "http_server_request_duration_seconds_count";
const failedByService = 'http_response_status_code=~"5.."';
const compute = 'http_request_method="POST"';
const answered = `${compute}, http_response_status_code="200"`;

export const servicePage: Page = {
  name: "service",
  title: "Is the service well?",
  rows: [
    {
      title: "At a glance",
      panels: [
        {
          kind: "figure",
          title: "Served",
          question:
            "Which share of the calls did the service neither fail nor refuse for its own reasons (5xx)? " +
            "Calls that are wrong, or over a team's limits (4xx), do not count against it.",
          unit: "share",
          // No call of this kind has no series, which is not 0.
          expr: `1 - (sum(rate(${calls}{${compute}, ${failedByService}}[$__rate_interval])) or vector(0)) / sum(rate(${calls}{${compute}}[$__rate_interval]))`,
          thresholds: { warnAt: 0.999, alarmAt: 0.99 },
        },
        {
          kind: "figure",
          title: "Latency, p99",
          question: "How long did the slowest hundredth of the answered calls take, waiting included?",
          unit: "s",
          expr: quantileOf(0.99, "http_server_request_duration_seconds", "", answered),
          thresholds: { warnAt: 1, alarmAt: 5 },
        },
        {
          kind: "figure",
          title: "Calls",
          question: "How many calls come in a second?",
          unit: "perSecond",
          expr: `sum(rate(${calls}{${compute}}[$__rate_interval]))`,
        },
        {
          kind: "figure",
          title: "In flight",
          question: "How many requests have no complete response yet?",
          unit: "number",
          expr: "sum(http_server_active_requests)",
        },
        {
          kind: "figure",
          title: "Waiting tasks",
          question: "How many images wait for a worker?",
          unit: "number",
          expr: `sum(${ofActive("faceline_queue_tasks")})`,
        },
        {
          kind: "figure",
          title: "Workers",
          question: "How many workers has the lane with the fewest?",
          unit: "number",
          expr: `min(sum by (lane) (${ofActive("faceline_workers")}))`,
          thresholds: { warnAt: 0.5, alarmAt: 0.5 },
        },
      ],
    },
    {
      title: "Rate, errors, duration",
      panels: [
        {
          kind: "stacked",
          title: "Calls by route",
          question: "What is called, and how often?",
          unit: "perSecond",
          queries: [{ expr: rateOf(calls, "http_route"), legend: "{{http_route}}" }],
        },
        {
          kind: "stacked",
          title: "Calls that failed or were refused, by code",
          question:
            "Why did callers get an error? The codes are those of the API; contracts/README.md says of each " +
            "what the caller should do.",
          unit: "perSecond",
          queries: [
            {
              expr: rateOf("faceline_requests_total", "outcome", 'outcome!~"ok|client_left"'),
              legend: "{{outcome}}",
            },
          ],
          emptyWhenWell: true,
        },
        {
          kind: "lines",
          title: "Latency of answered calls, by route",
          question: "How long do callers wait? Refused and failed calls are left out: they are quick.",
          unit: "s",
          queries: [
            {
              expr: quantileOf(0.5, "http_server_request_duration_seconds", "http_route", answered),
              legend: "{{http_route}} p50",
            },
            {
              expr: quantileOf(0.99, "http_server_request_duration_seconds", "http_route", answered),
              legend: "{{http_route}} p99",
            },
          ],
          thresholds: { warnAt: 1, alarmAt: 5 },
        },
        {
          kind: "stacked",
          title: "Clients that left",
          question: "How many callers gave up before their answer? They often have a shorter time limit.",
          unit: "perSecond",
          queries: [
            {
              expr: rateOf("faceline_requests_total", "http_route", 'outcome="client_left"'),
              legend: "{{http_route}}",
            },
          ],
          emptyWhenWell: true,
        },
      ],
    },
    {
      title: "Refused, late, failed",
      panels: [
        {
          kind: "stacked",
          title: "Tasks shed, by reason",
          question:
            "Why were tasks refused or dropped? queue_too_long: the queue is full. deadline_infeasible: they " +
            "could not have been answered in time. early_drop: they would have forced batches too small to " +
            "keep up. Those that end in full: a bound of an ingress was reached.",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_tasks_shed_total", "reason"), legend: "{{reason}}" }],
        },
        {
          kind: "lines",
          title: "Late",
          question:
            "How many tasks still waited at their deadline, and how many calls ended without an answer?",
          unit: "perSecond",
          queries: [
            { expr: "sum(rate(faceline_tasks_expired_total[$__rate_interval]))", legend: "tasks expired" },
            {
              expr: 'sum(rate(faceline_requests_total{outcome="upstream_timeout"}[$__rate_interval])) or vector(0)',
              legend: "calls without an answer",
            },
          ],
        },
        {
          kind: "stacked",
          title: "Tasks failed, by reason",
          question: "Which tasks did the service fail on, and at what?",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_tasks_failed_total", "reason"), legend: "{{reason}}" }],
        },
      ],
    },
    {
      title: "Teams by class",
      panels: [
        {
          kind: "stacked",
          title: "Calls by class of team",
          question: "Whose calls are these?",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_team_requests_total", "class"), legend: "{{class}}" }],
        },
        {
          kind: "lines",
          title: "Calls over a limit",
          question: "Which share of the calls of each class met the limit of its team and got a 429?",
          unit: "share",
          queries: [
            {
              expr: `${rateOf("faceline_team_requests_total", "class", 'limit="reached"')} / ${rateOf("faceline_team_requests_total", "class")}`,
              legend: "{{class}}",
            },
          ],
        },
      ],
    },
  ],
};
