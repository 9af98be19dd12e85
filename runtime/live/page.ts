import { each, type Html, html, markup, nothing } from "../design/html.ts";
import { bytes, duration, number, percent } from "./format.ts";
import type { LiveRow, LiveState, LiveValue } from "./state.ts";
import { processStatus } from "./status.ts";

/** Returns the page of a process as it is at `madeAt`, an ISO time in UTC. It needs no script. */
export function livePage(state: LiveState, madeAt: string): Html {
  const { subject, process, facts, tables } = state;
  const { level, title, detail } = processStatus(state);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject} · Faceline live</title>
<link rel="icon" type="image/svg+xml" href="/live/icon.svg">
<link rel="stylesheet" href="/live/style.css">
</head>
<body>
<header class="brand"><img src="/live/icon.svg" alt="" width="28" height="28">Faceline</header>
<main>
<h1>${subject}</h1>
<p class="dim">${process}, as of ${madeAt.slice(11, 19)} UTC. The page is loaded again every ${refreshSeconds} s.</p>
<p class="status old"><strong>This page is old</strong> The process does not answer: it hangs, lacks CPU, or has ended.</p>
<p class="status ${level}"><strong>${title}</strong> ${detail}</p>
!${factList(facts)}
!${each(Object.entries(tables), ([name, rows]) => table(name, rows))}
<h2>This process</h2>
!${factList(processFacts(state))}
</main>
</body>
</html>
`;
}

/** The browser loads the page again after this many seconds. */
export const refreshSeconds = 5;

function processFacts({ version, revision, uptimeMs, checks, health }: LiveState): LiveRow {
  const { memoryBytes, delayMs, redis } = health;
  return {
    version: revision === undefined ? version : `${version}, commit ${revision.slice(0, 12)}`,
    runsForMs: uptimeMs,
    checks: Object.entries(checks)
      .map(([name, isOk]) => `${name} ${isOk ? "ok" : "FAILS"}`)
      .join(", "),
    memoryBytes,
    eventLoopDelay: `${duration(delayMs.p50)} median, ${duration(delayMs.p99)} for 1%, ${duration(delayMs.max)} at most, past 10 s`,
    ...(redis && { redisMemory: `${bytes(redis.usedBytes)} of ${bytes(redis.maxBytes)}` }),
  };
}

const factList = (facts: LiveRow): Html =>
  html`<dl class="figures">!${each(Object.entries(facts), ([name, value]) => html`<div><dd>${textOf(name, value)}</dd><dt>${headingOf(name)}</dt></div>`)}</dl>`;

function table(name: string, rows: LiveRow[]): Html {
  const heading = headingOf(name);
  const [first] = rows;
  if (first === undefined) return nothing;
  return html`<h2>${heading}</h2>
<div class="wide" tabindex="0" role="region" aria-label="${heading}">
<table>
<thead><tr>!${each(Object.keys(first), (field) => html`<th scope="col" class="${classOf(first[field])}">${headingOf(field)}</th>`)}</tr></thead>
<tbody>!${each(rows, (row) => html`<tr>!${each(Object.entries(row), ([field, value], index) => markup(cell(field, value, index)))}</tr>`)}</tbody>
</table>
</div>
`;
}

const cell = (field: string, value: LiveRow[string], index: number): Html =>
  index === 0
    ? html`<th scope="row">${textOf(field, value)}</th>`
    : html`<td class="${classOf(value)}">${textOf(field, value)}</td>`;

const classOf = (value: LiveRow[string] | undefined): string =>
  [value].flat().some((each) => typeof each === "string") ? "text" : "";

/** `oldestMs` → `Oldest`, `past5min` → `Past 5 min`. */
function headingOf(name: string): string {
  const words = name
    .replace(/(Ms|Bytes|Share)$/, "")
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z]{2})(?=\d)|(?<=\d)(?=[a-z])/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function textOf(name: string, value: LiveRow[string]): string {
  const format =
    { Ms: duration, Bytes: bytes, Share: percent }[/(Ms|Bytes|Share)$/.exec(name)?.[0] ?? ""] ?? number;
  const single = (each: LiveValue): string =>
    each === null ? "–" : typeof each === "string" ? each : format(each);
  return (
    [value]
      .flat()
      .map((each) => single(each))
      .join(", ") || "–"
  );
}
