import { join } from "node:path";
import { parseOptions } from "@faceline/models/parse-options";
import { batcherOptions, batcherUsage, changeAll, hasActive, readBatchers } from "../apply/all-batchers.ts";
import { missingWorkers, planFaults, plannedChange, readPlan } from "../apply/planned-change.ts";
import { permanentSettings } from "../report/permanent-settings.ts";
import { type BatcherContext, batcherAddresses } from "./batcher-addresses.ts";

export const applyUsage = `npm run plan -- apply [PLAN.json] [options]

Applies the batch size and the utilisation target of a plan to running batchers, and prints the settings that
need a restart. The change lasts until a batcher restarts. PLAN.json defaults to the last plan of npm run plan.

${batcherUsage}
  --accept-other-build applies a plan made for another build than the workers run
  --fewer-workers      applies a plan that needs more workers than the pool has
`;

/** Applies a plan. Returns the exit code, 2 where the plan does not fit these batchers. */
export async function apply(args: string[], { stateFolder, print }: BatcherContext): Promise<number> {
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const [file = join(stateFolder, "plan", "plan.json"), ...more] = positionals;
  if (more.length > 0) throw new Error("Name one plan: a file of run --json FILE.");
  const plan = readPlan(file);
  const batchers = await readBatchers(await batcherAddresses(values, stateFolder));
  const states = batchers.map(({ before }) => before);
  const faults = planFaults(plan, states, {
    acceptsOtherBuild: values["accept-other-build"],
    acceptsFewerWorkers: values["fewer-workers"],
  });
  if (!hasActive(batchers)) {
    const roles = states.map(({ batcher, role }) => `${batcher} (${role})`).join(", ");
    faults.push(
      `The active batcher is not among them: ${roles}. Requests would be served as before until a takeover. ` +
        "Name every batcher of the pool with a --url of its own.",
    );
  }
  if (faults.length > 0) {
    for (const fault of faults) print(fault);
    print("Nothing was changed.");
    return 2;
  }
  for (const line of await changeAll(batchers, ({ settings }) => plannedChange(settings, plan))) print(line);
  const missing = missingWorkers(plan.settings, states);
  if (missing !== undefined) print(missing);
  print("npm run plan -- undo, with the same addresses, restores the settings from startup.");
  const { environment, compose, helm } = permanentSettings(plan.settings);
  print("");
  print("To keep it, and for what needs a restart:");
  print("");
  print(environment);
  print("");
  print("In a compose file:");
  print("");
  print(compose);
  print("");
  print("As values of deploy/chart:");
  print("");
  print(helm);
  return 0;
}

const options = {
  ...batcherOptions,
  "accept-other-build": { type: "boolean", default: false },
  "fewer-workers": { type: "boolean", default: false },
} as const;
