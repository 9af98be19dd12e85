import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repository } from "../launcher/state-folder.ts";

const folder = join(repository, "deploy/observe");

export const alertsFile = join(folder, "alerts.yml");

/** Returns the rules of alerts.yml: alerts, and the recording rules that they read. */
export const readRules = (): Rule[] =>
  (parse(readFileSync(alertsFile, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );

export const alertCasesFile = join(folder, "alerts.test.yml");

/** Returns the cases of alerts.test.yml in which an alert fires, with the labels of each. */
export const readFiringAlerts = (): FiringAlert[] =>
  (parse(readFileSync(alertCasesFile, "utf8")) as { tests: { alert_rule_test: FiringAlert[] }[] }).tests
    .flatMap((each) => each.alert_rule_test)
    .filter((each) => each.exp_alerts.length > 0);

/** Returns the name of each alert once, in the order of alerts.yml. */
export const alertNames = (): string[] => [...new Set(readRules().flatMap(({ alert = [] }) => alert))];

/** Returns the dashboards of Grafana. */
export const readDashboards = (): Dashboard[] =>
  globSync("grafana/*.json", { cwd: folder })
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Dashboard);

/** Returns the panels of a dashboard, without the titles of its rows. */
export const panelsOf = ({ panels }: Dashboard): Panel[] => panels.filter(({ type }) => type !== "row");

/** Returns the PromQL of a panel, with all lanes and processes selected and an interval of a minute. */
export const expressionsOf = ({ targets = [] }: Panel): string[] =>
  targets.map(({ expr }) =>
    expr.replaceAll(/\$(lane|instance)\b/g, ".*").replaceAll("$__rate_interval", "1m"),
  );

type Rule = {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

type FiringAlert = { alertname: string; exp_alerts: { exp_labels: Record<string, string> }[] };

type Dashboard = {
  title: string;
  uid: string;
  links: Link[];
  templating: { list: { name: string }[] };
  annotations: { list: { target: { expr: string } }[] };
  panels: Panel[];
};

export type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  links?: Link[];
  targets?: { expr: string; legendFormat?: string; datasource: { uid: string } }[];
  transformations?: { id: string; options: { indexByName?: Record<string, number> } }[];
};

type Link = { title: string; url: string };
