import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import {
  type DashboardLink,
  type Panel as GrafanaPanel,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder, PromQueryFormat } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { columnsOf, kindOf, type Panel, type Thresholds, type Unit } from "../panels/panel.ts";

/** Returns the panel without id and links. `row`: all panels of its row, which share its 24 columns. */
export function grafanaPanel(panel: Panel, row: readonly Panel[]): PanelBuilder {
  switch (panel.kind) {
    case "lines":
    case "stacked":
      return timeseries(panel).height(8).span(spanOf(panel, row));
    case "figure":
      return stat(panel).height(4).span(spanOf(panel, row));
    case "table":
      return table(panel).height(9).span(spanOf(panel, row));
  }
}

/** Every panel asks the data source that was chosen on the dashboard. */
export const datasource = { type: "prometheus", uid: "${datasource}" };

function timeseries(panel: Extract<Panel, { kind: "lines" | "stacked" }>): TimeseriesBuilder {
  const { title, question, unit, queries, thresholds, kind } = panel;
  const builder = new TimeseriesBuilder()
    .title(title)
    .description(question)
    .datasource(datasource)
    .unit(grafanaUnits[unit])
    .min(0)
    .lineWidth(kind === "stacked" ? 1 : 2)
    .fillOpacity(kind === "stacked" ? 40 : 0)
    .stacking(new StackingConfigBuilder().mode(kind === "stacked" ? StackingMode.Normal : StackingMode.None))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    );
  if (thresholds !== undefined) {
    builder
      .thresholds(thresholdSteps(thresholds))
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  for (const [index, { expr, legend }] of queries.entries()) {
    builder.withTarget(query(index, expr).legendFormat(legend).range());
  }
  return builder;
}

function stat({ title, question, unit, expr, thresholds }: Extract<Panel, { kind: "figure" }>): StatBuilder {
  const builder = new StatBuilder()
    .title(title)
    .description(question)
    .datasource(datasource)
    .unit(grafanaUnits[unit])
    .graphMode(BigValueGraphMode.None)
    .colorMode(thresholds === undefined ? BigValueColorMode.None : BigValueColorMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(["lastNotNull"]))
    .withTarget(query(0, expr).instant());
  return thresholds === undefined ? builder : builder.thresholds(thresholdSteps(thresholds));
}

/** The queries' rows are merged by their labels; `Value #A` is what Grafana calls the value of query A. */
function table({ title, question, labels, columns }: Extract<Panel, { kind: "table" }>): TableBuilder {
  // Sizes are sorted as numbers.
  const numeric = labels.filter((label) => label === "size");
  const builder = new TableBuilder()
    .title(title)
    .description(question)
    .datasource(datasource)
    .withTransformation({ id: "merge", options: {} })
    .withTransformation({
      id: "convertFieldType",
      options: {
        conversions: numeric.map((targetField) => ({ targetField, destinationType: "number" })),
      },
    })
    .withTransformation({
      id: "organize",
      options: {
        excludeByName: { Time: true },
        indexByName: Object.fromEntries(
          [...labels, ...columns.map((_, index) => `Value #${refId(index)}`)].map((name, at) => [name, at]),
        ),
        renameByName: Object.fromEntries(
          columns.map((column, index) => [`Value #${refId(index)}`, column.title]),
        ),
      },
    })
    .withTransformation({ id: "sortBy", options: { sort: [{ field: numeric[0] ?? labels[0] }] } });
  for (const [index, { title: column, unit, expr }] of columns.entries()) {
    builder
      .withTarget(query(index, expr).instant().format(PromQueryFormat.Table))
      .overrideByName(column, [{ id: "unit", value: grafanaUnits[unit] }]);
  }
  return builder;
}

const query = (index: number, expr: string): DataqueryBuilder =>
  new DataqueryBuilder().refId(refId(index)).datasource(datasource).expr(expr);

const refId = (index: number): string => String.fromCodePoint("A".codePointAt(0)! + index);

function thresholdSteps({ warnAt, alarmAt }: Thresholds): ThresholdsConfigBuilder {
  const steps =
    alarmAt > warnAt
      ? [
          { value: null, color: "green" },
          { value: warnAt, color: "orange" },
          { value: alarmAt, color: "red" },
        ]
      : [
          { value: null, color: "red" },
          ...(alarmAt < warnAt ? [{ value: alarmAt, color: "orange" }] : []),
          { value: warnAt, color: "green" },
        ];
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps(steps) satisfies Builder<ThresholdsConfig>;
}

/** The width of a panel in its row. */
function spanOf(panel: Panel, row: readonly Panel[]): number {
  const kind = kindOf(panel);
  return kind === "table" ? columns : columns / columnsOf(row, kind);
}

const columns = 24;

const grafanaUnits: Record<Unit, string> = {
  s: "s",
  perSecond: "suffix:/s",
  share: "percentunit",
  bytes: "decbytes",
  number: "short",
};

/** What the builders of all kinds of panels have in common. */
type PanelBuilder = Builder<GrafanaPanel> & {
  id(id: number): PanelBuilder;
  links(links: Builder<DashboardLink>[]): PanelBuilder;
};
