import assert from "node:assert/strict";
import test from "node:test";
import type { Panel as GrafanaPanel } from "@grafana/grafana-foundation-sdk/dashboard";
import { pages } from "../panels.ts";
import { grafanaDashboard } from "./dashboard.ts";

const dashboards = pages.map((page) => grafanaDashboard(page, pages));

test("every dashboard and every panel of it has an id of its own", () => {
  const uids = dashboards.map(({ uid }) => uid!);
  assert.equal(new Set(uids).size, pages.length);
  for (const dashboard of dashboards) {
    const ids = panelsOf(dashboard).map(({ id }) => id);
    assert.ok(ids.every((id) => typeof id === "number" && id > 0));
    assert.equal(new Set(ids).size, ids.length, dashboard.title);
  }
});

test("panels lie in the 24 columns, and none lies on another", () => {
  for (const dashboard of dashboards) {
    const taken = new Map<string, string>();
    for (const { title = "", gridPos } of panelsOf(dashboard)) {
      const { x, y, w, h } = gridPos!;
      assert.ok(x >= 0 && x + w <= 24 && w >= 4 && h >= 1, title);
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          const cell = `${column},${line}`;
          assert.equal(taken.get(cell), undefined, `${title} lies on ${taken.get(cell)}`);
          taken.set(cell, title);
        }
      }
    }
  }
});

test("every query asks the chosen data source, and every variable that an expression uses is there", () => {
  for (const dashboard of dashboards) {
    const variables = dashboard.templating.list!.map(({ name }) => name);
    assert.equal(variables[0], "datasource");
    for (const { title, targets = [] } of panelsOf(dashboard)) {
      for (const target of targets as unknown as {
        refId: string;
        expr: string;
        datasource: { uid: string };
      }[]) {
        assert.equal(target.datasource.uid, "${datasource}", title);
        for (const [, name] of target.expr.matchAll(/\$(?!__|\d)(\w+)/g)) {
          assert.ok(variables.includes(name!), `${title}: ${name}`);
        }
      }
    }
  }
});

/** Panels and rows, in their order. */
const panelsOf = (dashboard: (typeof dashboards)[number]): GrafanaPanel[] =>
  dashboard.panels as GrafanaPanel[];
