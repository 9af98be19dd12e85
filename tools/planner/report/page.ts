import { reportPage } from "@faceline/runtime/design/report-page";
import { escapeXml } from "@faceline/runtime/plot/svg";
import { applyCommand, applySentence } from "./next-commands.ts";
import { permanentSettings } from "./permanent-settings.ts";
import { type FoundPlan, isFound, type Plan } from "./plan.ts";
import { batchSizePlot, frontPlot, trafficPlot } from "./plots.ts";
import {
  batchSizeTable,
  closestTable,
  defaultsTable,
  frontTable,
  machineTable,
  type Table,
  trafficTable,
  whatIfTable,
} from "./tables.ts";
import {
  assumptions,
  bandSentences,
  bandText,
  batchSizeSentence,
  bindingText,
  dateText,
  defaultsSentence,
  inTimeShare,
  machineSentence,
  machinesOf,
  machinesText,
  percent,
  searchSentences,
  settingsText,
  startFirst,
  targetText,
  trafficSentence,
  unmetSentences,
  workersText,
} from "./words.ts";

/**
 * Returns a plan as one HTML file. `planFile` is the JSON of the same plan, which the command to apply it
 * names; undefined for the last one of the state folder.
 */
export async function planPage(plan: Plan, planFile: string | undefined): Promise<string> {
  const title = isFound(plan)
    ? `Plan: ${workersText(plan.winner.settings.workers)}, batches of up to ${plan.winner.settings.batchMax}`
    : "Plan: the target cannot be met";
  return reportPage(
    title,
    `${isFound(plan) ? foundSections(plan, planFile) : unmetSections(plan)}
${section("p99 by batch size", beside(batchSizePlot(plan), batchSizeTable(plan)), "On the busiest windows of the traffic, where a target is missed first. Hollow points miss it; what was predicted for them is of the requests until that was certain.")}
${section("The traffic", beside(trafficPlot(plan), trafficTable(plan)), trafficSentence(plan))}
${section("The machine, and what is assumed", table(machineTable(plan)) + list(assumptions), machineSentence(plan))}
${section("How it was searched", list(searchSentences(plan)))}
<p class="dim">Made on ${dateText(plan.madeAt)} by <code>npm run plan</code>.</p>`,
  );
}

function foundSections(plan: FoundPlan, planFile: string | undefined): string {
  const { winner, target, tried, band } = plan;
  const { prediction, settings } = winner;
  const { environment, npmStart, compose, helm } = permanentSettings(settings);
  const figures: [string, string][] = [
    ["p50, in ms", bandText(prediction.p50Ms, band.p50)],
    ["p99, in ms", bandText(prediction.p99Ms, band.p99)],
    ["answered in time", percent(inTimeShare(prediction))],
    ["refused", percent(prediction.shed)],
    ["worker utilisation", percent(prediction.utilisation)],
    ["worker seconds for 1,000 requests", prediction.workerSecondsPer1000.toFixed(1)],
  ];
  return `<p class="answer">${escapeXml(settingsText(settings))} are the cheapest settings that meet ${escapeXml(targetText(target))}.</p>
<dl class="figures">
${figures.map(([term, value]) => `<div><dt>${escapeXml(term)}</dt><dd>${escapeXml(value)}</dd></div>`).join("\n")}
</dl>
<p>${escapeXml(bandSentences(plan).join(" "))}</p>
${machinesOf(plan) === 1 ? "" : `<p>${escapeXml(workersText(settings.workers) + machinesText(plan))}, as the calibrated one.</p>`}
<p>What limits: ${escapeXml([bindingText(tried, winner), ...batchSizeSentence(plan)].join(" "))}</p>
${section(
  "Set it",
  `${machinesOf(plan) === 1 ? "" : `<h3>First, the machines</h3>\n<p>${escapeXml(startFirst(plan))}</p>\n`}<h3>On the running batchers, at once</h3>
${code(applyCommand(planFile))}
<p class="dim">${applySentence} The batch size and the utilisation target change; <code>npm run plan -- undo</code> puts back those of the start, and so does a restart. Batches above the size that workers have loaded need the settings below.</p>
<h3>For good</h3>
${code(environment)}
${machinesOf(plan) === 1 ? `<h3>With npm start</h3>\n${code(npmStart)}\n` : ""}<details><summary>In a compose file, or as values of deploy/chart</summary>
<div class="pair">${code(compose)}${code(helm)}</div></details>`,
)}
${section("Beside the default settings", table(defaultsTable(plan)), `${defaultsSentence(plan)} Cost: worker seconds for 1,000 requests.`)}
${section("Cost and p99", beside(frontPlot(plan), frontTable(plan)), "Settings that meet the target and are either cheaper or faster than all others. Points beside their line meet it too.")}
${section("What if", table(whatIfTable(plan)), "With the planned settings. Each is simulated to its end, also where it misses the target.")}`;
}

function unmetSections(plan: Plan): string {
  const most = Math.max(...plan.tried.map(({ settings }) => settings.workers));
  return `<p class="answer">No settings up to ${workersText(most)} meet ${escapeXml(targetText(plan.target))}.</p>
${section("What can be had", list(unmetSentences(plan)))}
${section("The closest", table(closestTable(plan)), "On the busiest windows, with the most workers.")}`;
}

const section = (heading: string, content: string, sentence = ""): string => `<section>
<h2>${escapeXml(heading)}</h2>
${sentence === "" ? "" : `<p>${escapeXml(sentence)}</p>\n`}${content}
</section>`;

const beside = (svg: string, numbers: Table): string =>
  `<div class="pair"><figure>${svg}</figure>${table(numbers)}</div>`;

const list = (sentences: readonly string[]): string =>
  `<ul>${sentences.map((each) => `<li>${escapeXml(each)}</li>`).join("\n")}</ul>`;

const code = (text: string): string => `<pre><code>${escapeXml(text)}</code></pre>`;

/** The first cell of each row is its heading. */
const table = ({ head, rows }: Table): string => `<div class="wide" tabindex="0"><table>
<thead><tr>${head.map((each) => (each === "" ? "<td></td>" : `<th scope="col">${escapeXml(each)}</th>`)).join("")}</tr></thead>
<tbody>
${rows.map(([first = "", ...cells]) => `<tr><th scope="row">${escapeXml(first)}</th>${cells.map((each) => `<td>${escapeXml(each)}</td>`).join("")}</tr>`).join("\n")}
</tbody></table></div>`;
