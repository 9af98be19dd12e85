import { permanentSettings } from "./permanent-settings.ts";
import { type FoundPlan, isFound, type Plan } from "./plan.ts";
import { closestTable, defaultsTable, frontTable, type Table } from "./tables.ts";
import {
  bandSentences,
  batchSizeSentence,
  bindingText,
  defaultsSentence,
  machineSentence,
  machinesOf,
  machinesText,
  nearestSentence,
  searchSentence,
  severalMachines,
  targetText,
  workersText,
} from "./words.ts";

/** Returns a plan as text for a terminal, at most 110 columns wide. */
export function planText(plan: Plan): string {
  const lines = [
    ...(isFound(plan) ? foundLines(plan) : unmetLines(plan)),
    "",
    ...bandSentences(plan),
    "",
    searchSentence(plan),
    machineSentence(plan),
    ...(isFound(plan) ? settingLines(plan) : []),
  ];
  return `${lines.flatMap((line) => wrapped(line)).join("\n")}\n`;
}

function foundLines(plan: FoundPlan): string[] {
  const { winner, target, tried } = plan;
  const { workers, batchMax, utilisationTarget } = winner.settings;
  return [
    `The cheapest settings that meet ${targetText(target)}:`,
    "",
    `  workers             ${workers}${machinesText(plan)}`,
    `  BATCH_MAX           ${batchMax}`,
    `  UTILISATION_TARGET  ${utilisationTarget}`,
    "",
    [`What limits: ${bindingText(tried, winner)}`, ...batchSizeSentence(plan)].join(" "),
    "",
    defaultsSentence(plan),
    "",
    ...tableLines(defaultsTable(plan)),
    "",
    "Cost: worker seconds for 1,000 requests. Target: UTILISATION_TARGET.",
    "",
    "Of those that meet it, the ones that are either cheaper or faster than all others:",
    "",
    ...tableLines(frontTable(plan)),
  ];
}

/** The settings in the forms that the ways to run Faceline take. */
function settingLines(plan: FoundPlan): string[] {
  const { npmStart, compose, helm } = permanentSettings(plan.winner.settings);
  return [
    "",
    "To set it:",
    "",
    ...(machinesOf(plan) === 1 ? indented(npmStart) : [severalMachines]),
    "",
    "In a compose file:",
    "",
    ...indented(compose),
    "",
    "As values of deploy/chart:",
    "",
    ...indented(helm),
  ];
}

const indented = (command: string): string[] => command.split("\n").map((line) => `  ${line}`);

function unmetLines(plan: Plan): string[] {
  const most = Math.max(...plan.tried.map(({ settings }) => settings.workers));
  return [
    `No settings up to ${workersText(most)} meet ${targetText(plan.target)}.`,
    "",
    nearestSentence(plan),
    "",
    "The closest, until they missed it:",
    "",
    ...tableLines(closestTable(plan)),
  ];
}

function tableLines({ head, rows }: Table): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((each) => each[column]!.length)));
  return all.map((row) => `  ${row.map((cell, column) => cell.padStart(widths[column]!)).join("  ")}`);
}

/** Breaks a sentence between words. Lines of tables begin with spaces and are never so long. */
function wrapped(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columnsMax && !rest.startsWith(" ")) {
    const at = rest.lastIndexOf(" ", columnsMax);
    lines.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...lines, rest];
}

const columnsMax = 110;
