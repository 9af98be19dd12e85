"use strict";

// Runs in the console pages. Draws a page's panels with PromConsole.Graph, which Prometheus serves, and asks
// its API for the figures and tables. Prometheus expands this file as a template: no backticks, and no pair
// of braces.

const units = {
  s: (value) =>
    Math.abs(value) >= 1 || value === 0
      ? digits(value) + " s"
      : Math.abs(value) >= 0.001
        ? digits(value * 1e3) + " ms"
        : digits(value * 1e6) + " µs",
  perSecond: (value) => digits(value) + "/s",
  share: (value) => digits(value * 100) + " %",
  bytes(value) {
    const names = ["B", "kB", "MB", "GB", "TB"];
    let power = 0;
    while (Math.abs(value) >= 1000 && power < names.length - 1) {
      value /= 1000;
      power++;
    }
    return digits(value) + " " + names[power];
  },
  number: (value) => digits(value),
};

/** A dash where there is no value: 0/0 where nothing was counted. */
const show = (value, unit) => (Number.isFinite(value) ? units[unit](value) : "–");

/** Three digits, or all of those before the point. */
function digits(value) {
  const size = Math.abs(value);
  return String(Number(size >= 100 ? value.toFixed(0) : value.toPrecision(3)));
}

// Okabe and Ito's colours, which colour-blind people can tell apart, in tones for light and dark pages.
const colours = ["#3b8fd4", "#e08a00", "#1fa67a", "#cf6a9a", "#d4572a", "#8a7fd6", "#8f9a1f", "#7d8794"];

/** `selection`: what was chosen on the page; where `end` is empty, the page ends now and is refreshed. */
window.drawPage = async (panels, pathPrefix, selection) => {
  const rangeSeconds = secondsOf(selection.range) || 900;
  const fixedEnd = selection.end === "" ? undefined : Date.parse(selection.end) / 1000;
  const endTime = () => fixedEnd || Date.now() / 1000;
  const ask = async (path, parameters) => {
    const reply = await fetch(pathPrefix + "/api/v1/" + path + "?" + new URLSearchParams(parameters));
    const { status, data, error } = await reply.json();
    if (status !== "success") throw new Error(error);
    return data;
  };
  const chosen = (expr) =>
    expr.replaceAll("$lane", pattern(selection.lane)).replaceAll("$instance", pattern(selection.instance));

  const scrapeSeconds = await scrapeInterval(ask);
  const windowOf = (stepSeconds) => Math.ceil(Math.max(4 * scrapeSeconds, stepSeconds + scrapeSeconds)) + "s";
  const latest = async (expr) => {
    const query = chosen(expr).replaceAll("$__rate_interval", windowOf(60));
    return (await ask("query", { query, time: endTime() })).result;
  };
  PromConsole.Graph.prototype.buildQueryUrl = function (expr) {
    const { duration, endTime: end } = this.params;
    this.widthAsked = this.graphTd.offsetWidth;
    // The same step as the one by which the graph places its points.
    const step = Math.floor((duration / this.widthAsked) * 1000) / 1000;
    const query = chosen(expr).replaceAll("$__rate_interval", windowOf(step));
    const parameters = new URLSearchParams({ query, step, start: end - duration, end });
    return pathPrefix + "/api/v1/query_range?" + parameters;
  };

  const draw = { lines: graph, stacked: graph, figure, table };
  const refreshAll = panels.map((panel, index) =>
    draw[panel.kind](panel, document.getElementById("panel-" + index), latest, {
      duration: rangeSeconds,
      endTime: endTime(),
    }),
  );
  const refresh = () => refreshAll.forEach((each) => void each(endTime()));
  if (fixedEnd === undefined) setInterval(refresh, Math.max(10, rangeSeconds / 300) * 1000);
};

/** The longest interval between two scrapes, in seconds; a usual one where the targets are not shown. */
async function scrapeInterval(ask) {
  try {
    const { activeTargets } = await ask("targets", { state: "active" });
    return Math.max(1, ...activeTargets.map((target) => secondsOf(target.scrapeInterval)));
  } catch {
    return 15;
  }
}

// Rickshaw's own labels of the time axis are single numbers, minutes without their hour, in UTC.
const RickshawTime = Rickshaw.Fixtures.Time;
Rickshaw.Fixtures.Time = function () {
  RickshawTime.call(this);
  this.units = [86400, 21600, 3600, 900, 300, 60].map((seconds) => ({
    name: seconds + " s",
    seconds,
    formatter: (date) =>
      seconds === 86400 ? date.toDateString().slice(4, 10) : date.toTimeString().slice(0, 5),
  }));
};

// Series without any value would only fill the legend. Where a query failed, there is none.
const render = PromConsole.Graph.prototype._render;
PromConsole.Graph.prototype._render = function (replies) {
  // In a window of another width the points are of another step, and would be placed wrongly.
  if (this.graphTd.offsetWidth !== this.widthAsked) {
    this.dispatch();
    return;
  }
  const shown = replies.map(({ data }) => ({
    data: {
      result: (data?.result ?? []).filter(({ values }) => values.some(([, value]) => value !== "NaN")),
    },
  }));
  render.call(this, shown);
};

function graph(panel, node, latest, range) {
  const format = units[panel.unit];
  const drawn = new PromConsole.Graph({
    node,
    expr: panel.queries.map(({ expr }) => expr),
    name: panel.queries.map(
      ({ legend }) =>
        (metric) =>
          legend.replaceAll(/\[(\w+)\]/g, (_, label) => metric[label] || "–"),
    ),
    min: 0,
    height: 160,
    renderer: panel.kind === "stacked" ? "area" : "line",
    yAxisTicks: 4,
    yAxisFormatter: (value) => (value === 0 ? "" : format(value)),
    yHoverFormatter: format,
    colorScheme: colours.slice(),
    ...range,
  });
  return (endTime) => {
    drawn.params.endTime = endTime;
    drawn.dispatch();
  };
}

function figure(panel, node, latest) {
  const refresh = async () => {
    try {
      const [first] = await latest(panel.expr);
      const value = first === undefined ? Number.NaN : Number(first.value[1]);
      node.textContent = show(value, panel.unit);
      node.className = "value " + (Number.isFinite(value) ? severity(value, panel.thresholds) : "");
    } catch (error) {
      node.textContent = error.message;
    }
  };
  void refresh();
  return refresh;
}

function severity(value, thresholds) {
  if (thresholds === undefined) return "";
  const { warnAt, alarmAt } = thresholds;
  const isBad = (limit) => (alarmAt > warnAt ? value >= limit : value < limit);
  return isBad(alarmAt) ? "alarm" : isBad(warnAt) ? "warn" : "good";
}

function table(panel, node, latest) {
  const refresh = async () => {
    try {
      node.replaceChildren(tableOf(panel, await Promise.all(panel.columns.map(({ expr }) => latest(expr)))));
    } catch (error) {
      node.textContent = error.message;
    }
  };
  void refresh();
  return refresh;
}

/** A row for each combination of labels that any column has, in the order of their numbers or letters. */
function tableOf({ labels, columns }, results) {
  const rows = new Map();
  results.forEach((result, column) => {
    for (const { metric, value } of result) {
      const key = labels.map((label) => metric[label]).join("\n");
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key)[column] = show(Number(value[1]), columns[column].unit);
    }
  });
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const title of labels) head.append(cell("th", title, "label"));
  for (const { title } of columns) head.append(cell("th", title));
  const inOrder = [...rows].toSorted(([one], [other]) => one.localeCompare(other, "en", { numeric: true }));
  const body = made.createTBody();
  for (const [key, values] of inOrder) {
    const row = body.insertRow();
    for (const label of key.split("\n")) row.append(cell("td", label, "label"));
    columns.forEach((_, column) => row.append(cell("td", values[column] || "–")));
  }
  return made;
}

function cell(kind, text, className) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (className !== undefined) made.className = className;
  return made;
}

/** A regular expression for what was chosen; everything where nothing was. */
const pattern = (value) =>
  value === "" ? ".*" : value.replaceAll(/[.*+?^$()|[\]\\]/g, "\\\\$&").replaceAll('"', "");

/** Prometheus' durations: 1h30m → 5400; 0 where it is none. */
function secondsOf(duration) {
  const factors = { d: 86400, h: 3600, m: 60, s: 1, ms: 0.001 };
  return [...String(duration).matchAll(/(\d+)(ms|[dhms])/g)].reduce(
    (total, match) => total + Number(match[1]) * factors[match[2]],
    0,
  );
}
