import { symptoms } from "./alert-table.ts";
import { burnRates, limits, type Objective, objectives } from "./objectives.ts";

/**
 * Returns the rule groups of Prometheus for all alerts: recording rules of the shares of bad calls, and
 * alerts over them and over single metrics. `timeScale` divides all windows and durations, so that a test on
 * a running stack need not wait for hours: 60 makes minutes seconds.
 */
export function alertRules({ timeScale = 1 } = {}): RuleGroup[] {
  const window = (minutes: number): string => durationOf((minutes * 60) / timeScale);
  const groups = objectives.map((objective) => ({
    name: `faceline-${objective.name}`,
    rules: [...badShares(objective, window), ...burnAlerts(objective, window)],
  }));
  const alerts = symptoms.map(({ name, severity, forMinutes, expr, summary }) =>
    alertRule({
      name,
      expr: expr(window),
      holdsFor: forMinutes === 0 ? undefined : window(forMinutes),
      labels: { severity },
      summary,
    }),
  );
  return [...groups, { name: "faceline-symptoms", rules: alerts }];
}

/** Every name of an alert, once. */
export const alertNames = (): string[] => [
  ...objectives.map(({ alert }) => alert),
  ...symptoms.map(({ name }) => name),
];

/** Where the entry of an alert is: an annotation of every alert. */
export function runbookOf(alert: string): string {
  const isTicket = symptoms.some(({ name, severity }) => name === alert && severity === "ticket");
  return `docs/operating/${isTicket ? "runbook-tickets" : "runbook"}.md#${alert.toLowerCase()}`;
}

function badShares({ name, bad, all }: Objective, window: Window): Rule[] {
  const minutes = new Set(burnRates.flatMap(({ longMinutes, shortMinutes }) => [shortMinutes, longMinutes]));
  return [...minutes]
    .toSorted((a, b) => a - b)
    .map((each) => ({
      record: shareName(name, window(each)),
      expr: `${bad(window(each))} / ${all(window(each))}`,
    }));
}

const shareName = (objective: string, window: string): string =>
  `faceline:${objective}_bad:ratio_rate${window}`;

function burnAlerts({ name, alert, share, bad, summary }: Objective, window: Window): Rule[] {
  return burnRates.map(({ factor, longMinutes, shortMinutes, severity }) => {
    const [long, short] = [window(longMinutes), window(shortMinutes)];
    const shareMax = Number((factor * (1 - share)).toPrecision(6));
    return alertRule({
      name: alert,
      expr: [
        `${shareName(name, long)} > ${shareMax}`,
        `and ${shareName(name, short)} > ${shareMax}`,
        // Of few calls a single failure is a large share.
        `and ${bad(long)} * ${secondsOf(long)} >= ${limits.badCallsMin}`,
      ].join(" "),
      labels: { severity, window: long },
      summary,
    });
  });
}

function alertRule({ name, expr, holdsFor, labels, summary }: AlertFields): Rule {
  return {
    alert: name,
    expr,
    ...(holdsFor === undefined ? {} : { for: holdsFor }),
    labels,
    annotations: { summary, runbook_url: runbookOf(name) },
  };
}

/** 300 → "5m": a duration of Prometheus in its largest whole unit. */
export function durationOf(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds % each === 0) ?? ["s", 1];
  return `${Math.round(seconds / length)}${unit}`;
}

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

const secondsOf = (duration: string): number =>
  Number.parseInt(duration, 10) * units.find(([unit]) => duration.endsWith(unit))![1];

type Window = (minutes: number) => string;

type AlertFields = {
  name: string;
  expr: string;
  holdsFor?: string | undefined;
  labels: Record<string, string>;
  summary: string;
};

type RecordingRule = { record: string; expr: string };
export type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};
export type Rule = RecordingRule | AlertRule;
export type RuleGroup = { name: string; rules: Rule[] };
