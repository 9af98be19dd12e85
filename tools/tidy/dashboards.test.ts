// Covers deploy/observe/grafana.
import assert from "node:assert/strict";
import test from "node:test";
import { type MetricName, metricList } from "@faceline/contracts/metrics/list";
import {
  alertNames,
  expressionsOf,
  type Panel,
  panelsOf,
  readDashboards,
} from "@faceline/deploy/testing/observe-files";
import { parse } from "yaml";
import { labelsOfExpression } from "./promql-labels.ts";
import { anchorsOf, read } from "./source.ts";

const dashboards = readDashboards();
const panels = dashboards.flatMap(panelsOf);

/** Metrics that no panel shows, with the reason. */
const onNoPanel: MetricName[] = [];

test("every metric is on a panel, or in the list of those that are not", () => {
  const shown = new Set(
    panels.flatMap(expressionsOf).flatMap((expr) => [...labelsOfExpression(expr).metrics]),
  );
  const missing = (Object.keys(metricList) as MetricName[]).filter((metric) => !shown.has(metric));
  assert.deepEqual(missing, onNoPanel);
});

test("legends and tables name labels that their series have, and no other label tells two series apart", () => {
  for (const panel of panels) {
    for (const [index, expression] of expressionsOf(panel).entries()) {
      const { labels } = labelsOfExpression(expression);
      assert.deepEqual([...labels].toSorted(), labelsShown(panel, index), panel.title);
    }
  }
});

test("dashboards and panels have ids of their own, and titles by which people can name a panel", () => {
  assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length);
  for (const { title, panels } of dashboards) {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, title);
    assert.equal(new Set(panels.map((panel) => panel.title)).size, panels.length, title);
  }
});

test("panels lie in the 24 columns, and none lies on another", () => {
  for (const { panels } of dashboards) {
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      const { x, y, w, h } = gridPos;
      assert.ok(x >= 0 && x + w <= 24 && w >= 4 && h >= 1, title);
      for (let cell = 0; cell < w * h; cell++) {
        const place = `${x + (cell % w)},${y + Math.floor(cell / w)}`;
        assert.equal(taken.get(place), undefined, `${title} lies on ${taken.get(place)}`);
        taken.set(place, title);
      }
    }
  }
});

test("every query asks the chosen data source, and every variable that an expression uses is there", () => {
  for (const dashboard of dashboards) {
    const variables = dashboard.templating.list.map(({ name }) => name);
    assert.equal(variables[0], "datasource");
    for (const { title, targets = [] } of panelsOf(dashboard)) {
      for (const { datasource, expr } of targets) {
        assert.equal(datasource.uid, "${datasource}", title);
        for (const [, name] of expr.matchAll(/\$(?!__|\d)(\w+)/g)) {
          assert.ok(variables.includes(name!), `${title}: ${name}`);
        }
      }
    }
  }
});

test("data sources lead to each other, and their queries read series of the list of metrics", () => {
  const { datasources } = parse(read("deploy/compose/observe/grafana-datasources.yaml")) as DataSources;
  const ids = datasources.map(({ uid }) => uid);
  const [metrics, traces] = datasources.map(({ jsonData }) => jsonData);
  assert.deepEqual(metrics!.exemplarTraceIdDestinations, [{ name: "trace_id", datasourceUid: "tempo" }]);
  const { datasourceUid, tags, queries } = traces!.tracesToMetrics!;
  assert.ok(ids.includes("tempo") && ids.includes(datasourceUid));
  assert.deepEqual(tags, [{ key: "service.name", value: "job" }]);
  for (const { query } of queries) {
    labelsOfExpression(query.replace("$$__tags", 'job="faceline-ingress"'));
  }
});

test("every link leads to a heading of the operators' guide, and every alert's entry is the target of one", () => {
  const urls = [...dashboards, ...panels].flatMap(({ links = [] }) => links).map(({ url }) => url);
  const targets = new Set(
    urls.filter((url) => url.startsWith("${guide}/")).map((url) => url.slice("${guide}/".length)),
  );
  const broken = [...targets].filter((target) => {
    const [file, anchor = ""] = target.split("#");
    return !anchorsOf(read(`docs/operating/${file}`)).includes(anchor);
  });
  assert.deepEqual(broken, []);
  const anchors = new Set([...targets].map((target) => target.split("#")[1]));
  assert.deepEqual(
    alertNames().filter((alert) => !anchors.has(alert.toLowerCase())),
    [],
  );
});

/** Labels that a panel shows for a query: in its legend, or as columns of its table. */
function labelsShown({ type, targets = [], transformations = [] }: Panel, index: number): string[] {
  if (type === "table") {
    const columns = transformations.flatMap(({ options }) => Object.keys(options.indexByName ?? {}));
    return columns.filter((name) => !name.startsWith("Value #")).toSorted();
  }
  const legend = targets[index]?.legendFormat ?? "";
  return [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!).toSorted();
}

type DataSources = {
  datasources: {
    uid: string;
    jsonData: {
      exemplarTraceIdDestinations?: { name: string; datasourceUid: string }[];
      tracesToMetrics?: { datasourceUid: string; tags: object[]; queries: { query: string }[] };
    };
  }[];
};
