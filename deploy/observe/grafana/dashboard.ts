import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  VariableRefresh,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { runbookOf } from "../alerts/alert-rules.ts";
import { guideAnchor, type Page, variablesOf } from "../panels/panel.ts";
import { datasource, grafanaPanel } from "./panel.ts";

/** Returns the dashboard of a page. `others`: the pages that it links to. */
export function grafanaDashboard(page: Page, others: readonly Page[]): Dashboard {
  const dashboard = new DashboardBuilder(`Faceline: ${page.title}`)
    .uid(dashboardUid(page))
    .tags(["faceline"])
    .readonly()
    .refresh("10s")
    .time({ from: "now-30m", to: "now" })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
    .link(guideLink("docs/operating/dashboards.md", dashboardSection(page)));
  for (const variable of selections(page)) dashboard.withVariable(variable);
  dashboard.withVariable(
    new TextBoxVariableBuilder("guide")
      .label("Operators' guide")
      .description("The address where you keep docs/operating, for the links of the panels.")
      .defaultValue(guideFolder),
  );
  for (const other of others) dashboard.link(dashboardLink(other));

  let id = 0;
  for (const { title, panels } of page.rows) {
    dashboard.withRow(new RowBuilder(title).id(++id));
    for (const panel of panels) {
      const section = panel.runbook === undefined ? dashboardSection(page) : runbookOf(panel.runbook);
      dashboard.withPanel(
        grafanaPanel(panel, panels)
          .id(++id)
          .links([guideLink("Operators' guide", section)]),
      );
    }
  }
  return dashboard.build();
}

/** A variable for each choice that the page's expressions depend on. */
function selections(page: Page): QueryVariableBuilder[] {
  const sources = {
    lane: { label: "Lane", query: "label_values(faceline_workers, lane)" },
    instance: { label: "Process", query: "label_values(nodejs_eventloop_delay_p99_seconds, instance)" },
  };
  return variablesOf(page).map((name) => {
    const { label, query } = sources[name];
    return new QueryVariableBuilder(name)
      .label(label)
      .datasource(datasource)
      .query({ query, refId: name })
      .definition(query)
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .multi(true)
      .includeAll(true)
      .allValue(".*")
      .current({ selected: true, text: ["All"], value: ["$__all"] });
  });
}

const guideFolder = "docs/operating";

const dashboardSection = ({ title }: Page): string => `${guideFolder}/dashboards.md#${guideAnchor(title)}`;

/** A link to a section, which is named by its path in the repository. */
const guideLink = (title: string, section: string): DashboardLinkBuilder =>
  new DashboardLinkBuilder(title)
    .type(DashboardLinkType.Link)
    .url(section.replace(guideFolder, "${guide}"))
    .icon("doc")
    .targetBlank(true);

const dashboardLink = (page: Page): DashboardLinkBuilder =>
  new DashboardLinkBuilder(page.title)
    .type(DashboardLinkType.Link)
    .url(`/d/${dashboardUid(page)}`)
    .icon("dashboard")
    .keepTime(true)
    .includeVars(true);

const dashboardUid = ({ name }: Page): string => `faceline-${name}`;
