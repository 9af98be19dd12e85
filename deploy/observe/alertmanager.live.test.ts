// Covers alertmanager.yml.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { capture } from "../launcher/capture.ts";
import { findAlertmanager, openAlertmanager } from "../testing/alertmanager.ts";
import { readFiringAlerts } from "../testing/observe-files.ts";

const configuration = join(import.meta.dirname, "alertmanager.yml");

/** Alerts that fire together, and those of them that people hear of. */
const causes: Record<string, { firing: string[]; notified: string[] }> = {
  "calls fail": {
    firing: ["FacelineErrorBudgetBurn"],
    notified: ["FacelineErrorBudgetBurn 1h"],
  },
  "calls fail and are slow": {
    firing: ["FacelineErrorBudgetBurn", "FacelineLatencyBudgetBurn"],
    notified: ["FacelineErrorBudgetBurn 1h", "FacelineLatencyBudgetBurn 1h"],
  },
  "a dependency is away": {
    firing: [
      "FacelineDependencyRed",
      "FacelineNoBatcher",
      "FacelineNoWorkers",
      "FacelineQueueOld",
      "FacelineBackgroundFailures",
      "FacelineErrorBudgetBurn",
    ],
    notified: ["FacelineDependencyRed"],
  },
  "both batchers are gone": {
    firing: ["FacelineNoBatcher", "FacelineStandbyMissing", "FacelineTargetDown", "FacelineErrorBudgetBurn"],
    notified: ["FacelineNoBatcher"],
  },
  "all workers are gone": {
    firing: ["FacelineNoWorkers", "FacelineQueueOld", "FacelineWorkerMissing", "FacelineErrorBudgetBurn"],
    notified: ["FacelineNoWorkers"],
  },
  "two causes": {
    firing: ["FacelineKafkaDisk", "FacelineVersionSkew"],
    notified: ["FacelineKafkaDisk", "FacelineVersionSkew"],
  },
};

test("one cause is one page", async (t) => {
  const commands = await findAlertmanager();
  if (commands === undefined)
    return t.skip("NOT CHECKED: there is no Alertmanager, nor apt-get to fetch one");
  assert.match(await capture(commands.amtool, ["check-config", configuration]), /SUCCESS/);
  const cases = readFiringAlerts();
  for (const [cause, { firing, notified }] of Object.entries(causes)) {
    await t.test(cause, async (t) => {
      const manager = await openAlertmanager(t, commands, configuration);
      const alerts = firing.flatMap((alertname) =>
        cases
          .find((each) => each.alertname === alertname)!
          .exp_alerts.map(({ exp_labels }) => ({ alertname, ...exp_labels })),
      );
      const heard = (await manager.notified(alerts)).map((labels) =>
        `${labels["alertname"]} ${labels["window"] ?? ""}`.trim(),
      );
      assert.deepEqual(heard.toSorted(), notified);
    });
  }
});
