import { limits, type Objective, objectives } from "../alerts/objectives.ts";
import { ofActive, ofAnonymous, ofTeams, quantileOf, rateOf } from "./expressions.ts";
import type { Page } from "./panel.ts";

const calls = "http_server_request_duration_seconds_count";
const compute = 'http_request_method="POST"';
const answered = `${compute}, http_response_status_code="200"`;

const [availability, latency] = objectives as [Objective, Objective];

/** The share of bad calls. A kind of call that never came has no series, which is not 0. */
function badShare({ bad, all }: Objective, window: string): string {
  return `((${bad(window)} or vector(0)) / ${all(window)})`;
}

/** The share of bad calls, by the share that is allowed. */
const burnOf = (objective: Objective, window: string): string =>
  `${badShare(objective, window)} / ${Number((1 - objective.share).toPrecision(6))}`;

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
          expr: `1 - ${badShare(availability, "$__rate_interval")}`,
          thresholds: { warnAt: availability.share, alarmAt: 0.99 },
          runbook: availability.alert,
        },
        {
          kind: "figure",
          title: "Error budget left",
          question: `Of the calls that may fail in ${limits.budgetDays} days, which share has not failed yet? Below 0 the objective is missed.`,
          unit: "share",
          expr: `1 - ${burnOf(availability, `${limits.budgetDays}d`)}`,
          thresholds: { warnAt: 0.5, alarmAt: 0.1 },
          runbook: availability.alert,
        },
        {
          kind: "figure",
          title: `Answered within ${limits.latencySeconds} s`,
          question: "Which share of the answered calls was quick enough? Those that a client left count.",
          unit: "share",
          expr: `1 - ${badShare(latency, "$__rate_interval")}`,
          thresholds: { warnAt: latency.share, alarmAt: 0.95 },
          runbook: latency.alert,
        },
        {
          kind: "figure",
          title: "Latency, p99",
          question: "How long did the slowest hundredth of the answered calls take, waiting included?",
          unit: "s",
          expr: quantileOf(0.99, "http_server_request_duration_seconds", "", answered),
          thresholds: { warnAt: limits.latencySeconds, alarmAt: 5 },
          runbook: latency.alert,
        },
        {
          kind: "figure",
          title: "Calls",
          question: "How many calls come in a second?",
          unit: "perSecond",
          expr: `sum(rate(${calls}{${compute}}[$__rate_interval]))`,
          runbook: "FacelineNoIngress",
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
          question: "How many images of teams wait for a worker?",
          unit: "number",
          expr: `sum(${ofActive("faceline_queue_tasks", ofTeams)})`,
        },
        {
          kind: "figure",
          title: "Workers",
          question: "How many workers has the lane with the fewest?",
          unit: "number",
          expr: `min(sum by (lane) (${ofActive("faceline_workers")}))`,
          thresholds: { warnAt: 0.5, alarmAt: 0.5 },
          runbook: "FacelineNoWorkers",
        },
      ],
    },
    {
      title: "Rate, errors, duration",
      panels: [
        {
          kind: "lines",
          title: "How fast the error budgets are used",
          question:
            "Over an hour, how many times faster than allowed do calls fail or take too long? At 1 the budget " +
            "is gone at the end of its period; at 14.4, 2 % of it go in this hour, and somebody is paged.",
          unit: "number",
          queries: [
            { expr: burnOf(availability, "1h"), legend: "failed or refused" },
            { expr: burnOf(latency, "1h"), legend: "too slow" },
          ],
          thresholds: { warnAt: 6, alarmAt: 14.4 },
          runbook: availability.alert,
        },
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
            "Why did callers get an error? The codes are those of the API; docs/using/errors.md says of each " +
            "what the caller should do.",
          unit: "perSecond",
          queries: [
            {
              expr: rateOf("faceline_requests_total", "outcome", 'outcome!~"ok|client_left"'),
              legend: "{{outcome}}",
            },
          ],
          emptyWhenWell: true,
          runbook: availability.alert,
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
          thresholds: { warnAt: limits.latencySeconds, alarmAt: 5 },
          runbook: latency.alert,
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
            "Why were tasks of teams refused or dropped? queue_too_long: the queue is full. deadline_infeasible: they " +
            "could not have been answered in time. early_drop: they would have forced batches too small to " +
            "keep up. Those that end in full: a bound of an ingress was reached.",
          unit: "perSecond",
          queries: [{ expr: rateOf("faceline_tasks_shed_total", "reason", ofTeams), legend: "{{reason}}" }],
        },
        {
          kind: "stacked",
          title: "Anonymous tasks shed, by reason",
          question:
            "Why were tasks of anonymous calls refused or dropped? They get what teams leave, so they are shed " +
            "first, and more of them mean nothing for teams.",
          unit: "perSecond",
          queries: [
            { expr: rateOf("faceline_tasks_shed_total", "reason", ofAnonymous), legend: "{{reason}}" },
          ],
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
          question:
            "Which share of the calls of each class met a limit of its team or visitor and got a 429?",
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
