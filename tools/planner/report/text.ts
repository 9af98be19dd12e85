import { applyCommand, applySentence, replayCommand } from "./next-commands.ts";
import { permanentSettings } from "./permanent-settings.ts";
import { type FoundPlan, isFound, type Plan } from "./plan.ts";
import { closestTable, defaultsTable, frontTable, type Table, whatIfTable } from "./tables.ts";
import {
  batchSizeSentence,
  bindingText,
  defaultsSentence,
  machineSentence,
  machinesOf,
  machinesText,
  noiseMark,
  searchSentences,
  severalMachines,
  startFirst,
  targetText,
  unmetSentences,
  workersText,
} from "./words.ts";

/**
 * Returns a plan as text for a terminal, at most 110 columns wide. `traffic`: the options that name it;
 * `planFile`: where the plan is.
 */
export function planText(plan: Plan, next: { traffic: readonly string[]; planFile: string }): string {
  const mark = noiseMark(plan);
  const lines = [
    ...(mark === undefined ? [] : [`NOT QUIET: ${mark}`, ""]),
    ...(isFound(plan) ? foundLines(plan) : unmetLines(plan)),
    "",
    ...searchSentences(plan),
    machineSentence(plan),
    ...(isFound(plan) ? nextLines(plan, next) : []),
  ];
  return `${lines.flatMap((line) => wrapped(line)).join("\n")}\n`;
}

function foundLines(plan: FoundPlan): string[] {
  const { winner, target, tried } = plan;
  const { workers, batchMax, utilisationTarget, deadlineMs } = winner.settings;
  return [
    `The cheapest settings that meet ${targetText(target)}:`,
    "",
    `  workers             ${workers}${machinesText(plan)}`,
    `  BATCH_MAX           ${batchMax}`,
    `  UTILISATION_TARGET  ${utilisationTarget}`,
    ...(deadlineMs === undefined ? [] : [`  DEADLINE_DEFAULT_MS ${deadlineMs}`]),
    "",
    ...(machinesOf(plan) === 1 ? [`  ${permanentSettings(winner.settings).npmStart}`] : [severalMachines]),
    "",
    [`What limits: ${bindingText(tried, winner)}`, ...batchSizeSentence(plan)].join(" "),
    "",
    defaultsSentence(plan),
    "",
    ...tableLines(defaultsTable(plan)),
    "",
    "Cost: worker seconds for 1,000 calls. Target: UTILISATION_TARGET.",
    "",
    "Of those that meet it, the ones that are either cheaper or faster than all others:",
    "",
    ...tableLines(frontTable(plan)),
    "",
    "What if:",
    "",
    ...tableLines(whatIfTable(plan)),
  ];
}

function nextLines(plan: FoundPlan, { traffic, planFile }: Parameters<typeof planText>[1]): string[] {
  const { winner, defaults } = plan;
  const { batchMax } = winner.settings;
  const started = defaults?.sameWorkers.settings.batchMax ?? batchMax;
  const larger =
    batchMax > started
      ? [`Workers take batches of ${started} by default: start them with BATCH_MAX=${batchMax} before apply.`]
      : [];
  return [
    "",
    ...(machinesOf(plan) === 1
      ? [
          "Next: see how far such a prediction is off on the running service, then set the plan.",
          "",
          ...indented(replayCommand(traffic)),
        ]
      : [`Next: start the machines. ${startFirst(plan)}`, ""]),
    ...indented(applyCommand(planFile)),
    "",
    `${applySentence} npm run plan -- undo puts back the settings of the start.`,
    ...larger,
  ];
}

const indented = (command: string): string[] => command.split("\n").map((line) => `  ${line}`);

function unmetLines(plan: Plan): string[] {
  const most = Math.max(...plan.tried.map(({ settings }) => settings.workers));
  return [
    `No settings up to ${workersText(most)} meet ${targetText(plan.target)}.`,
    "",
    ...unmetSentences(plan),
    "",
    "The closest, on the busiest windows:",
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
export function wrapped(line: string): string[] {
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
